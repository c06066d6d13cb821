from typing import final

@final
class PathTable:
    count: int
