"""Modules generated from the contract."""
