"""Commands that keep sessions in PostgreSQL."""
