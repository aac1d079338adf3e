"""The tools, one module each: what a model may call."""
