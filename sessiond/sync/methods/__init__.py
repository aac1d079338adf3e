"""Methods of the sync."""
