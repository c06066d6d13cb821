"""The coordinator of an import: pipeline, branches, marks, checkpoints, crash report."""
