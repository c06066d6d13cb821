"""Git objects as values: oids, trees and their edits, commits, tags, notes."""
