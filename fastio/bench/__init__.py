"""Studies on content of the user's own: what codecs make of it, and what storing it costs."""
