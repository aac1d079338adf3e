"""CoderClaw's session layer. What is here so far is pure: rules that touch no file."""
