"""Export: a repository in, the stream of ``git fast-export`` out."""
