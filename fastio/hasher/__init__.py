"""Hashing files and storing them as objects: `git hash-object` with many hands."""
