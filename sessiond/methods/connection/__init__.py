"""Methods of the connection itself: settings, shutdown, discovery and status."""
