"""Views: the SessionManager verbs over documents. One handle is one view with its own leaf."""
