"""Methods of the family `session/`: the SessionManager API, and finding sessions."""
