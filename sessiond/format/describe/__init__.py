"""Descriptions of entries for people and lists: one line, Markdown, statistics."""
