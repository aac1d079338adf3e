"""Methods of the family `context/`, which plan what a model receives."""
