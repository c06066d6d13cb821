"""``python -m tests.exporter.campaign``: export random histories by git and by ours."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

from tests.differential.campaign import Batch, SetUp, drive, option_parser
from tests.exporter.differential import Comparer, Finding
from tests.exporter.round_trip import Traveller


class _Job:
    comparer: Comparer
    traveller: Traveller


def _set_up(git: str, directory: str) -> None:
    place = Path(directory) / f"job-{os.getpid()}"
    _Job.comparer, _Job.traveller = Comparer(git, place), Traveller(git, place)


def _compare(seeds: range) -> Batch:
    counts: Counter[str] = Counter()
    found = []
    for seed in seeds:
        counts["histories"] += 1
        for theirs, result in _Job.comparer.compare(seed):
            counts["streams"] += 1
            counts[f"exit status {theirs.status}"] += 1
            if isinstance(result, Finding):
                found.append(str(result))
            elif result:
                counts[f"known: {result}"] += 1
    counts["FOUND"] += len(found)
    return counts, found


def _travel(seeds: range) -> Batch:
    found = [text for seed in seeds for text in _Job.traveller.complaints(seed)]
    trips = Counter({"histories": len(seeds), "streams": 4 * len(seeds), "FOUND": len(found)})
    return trips, found


def main() -> int:
    """Run the command."""
    parser = option_parser(__doc__)
    parser.add_argument("--round-trips", action="store_true", help="export and import instead")
    arguments = parser.parse_args()

    def set_up(directory: str) -> SetUp:
        return _set_up, (arguments.git, directory)

    return drive(arguments, set_up, _travel if arguments.round_trips else _compare, batch=20)


if __name__ == "__main__":
    sys.exit(main())
