from support.stores import server, store_url

__all__ = ["server", "store_url"]
