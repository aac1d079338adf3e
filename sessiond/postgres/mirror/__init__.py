"""Copy the session files of a host into the store as they grow, and sessions back into files.

The file is the truth: the mirror only remembers how much of it is stored, and compares.
"""
