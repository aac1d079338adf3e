"""Keep the same sessions on two machines: in a folder, or over ssh."""
