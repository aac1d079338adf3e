"""The daemon that serves many clients of one user; fronts (`sessiond.shared.front`) bring them.

Each connection is a client of one engine, with settings, environment and log of its own.
"""
