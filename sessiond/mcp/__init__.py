"""Serve the Model Context Protocol, so that agents can search and read earlier conversations.

It is another table of methods on the RPC layer. The tools call the methods of the daemon
(`methods/local.py`), so every rule of those holds here, too.
"""
