"""The catalogue of a store: lists, searches, and the namespaces that they may show."""
