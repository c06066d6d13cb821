from workers.arena import Arena
from workers.tasks import Settings

LEAST_DELTA_TARGET: int

def encode(arena: Arena, tasks: bytes, settings: Settings) -> bytes: ...
