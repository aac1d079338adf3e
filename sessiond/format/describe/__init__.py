"""What people and lists are told of entries: one line, Markdown, figures."""
