"""What would stop an import of a stream, found without a repository."""
