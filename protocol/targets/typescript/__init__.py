"""Generator of the TypeScript client's types, methods and shapes."""
