"""Sessions in PostgreSQL instead of files (`--store postgresql://...`).

The driver is imported by this package alone, and the package only if a store is asked for.
"""
