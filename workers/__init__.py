"""The ground floor: shared arena, process pool, messages, and the tasks that workers do.

It knows nothing of streams or repositories and imports nothing of fastio.
"""
