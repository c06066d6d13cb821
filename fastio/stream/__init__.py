"""The fast-import language and nothing else, free of IO."""
