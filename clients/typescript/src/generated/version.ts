// Generated from package.json by protocol/generate.py.
// Do not edit; run `make generate`.

export const VERSION = "0.2.0";
