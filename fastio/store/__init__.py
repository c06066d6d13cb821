"""What lies on disk: object map, packs and their idx, loose objects, refs, the repository."""
