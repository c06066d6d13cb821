from typing_extensions import Buffer

from workers.tasks import Settings

def encode(arena: Buffer, tasks: bytes, settings: Settings) -> bytes: ...
