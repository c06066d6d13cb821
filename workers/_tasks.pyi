from workers.arena import Arena
from workers.tasks import Settings

def encode(arena: Arena, tasks: bytes, settings: Settings) -> bytes: ...
