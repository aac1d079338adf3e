"""A language server: session files in every editor that speaks the Language Server Protocol."""
