"""Transcripts in OpenClaw's databases as documents that are read and followed, never written."""
