#!/bin/sh
# Sets everything up and runs the tests, in two processes, as one leaves half of two cores idle.
# Arguments go to pytest: sh tests/run.sh -k marks; -n 0 for one process, in which --pdb works.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
sh "$root/setup.sh"
cd -- "$root"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE # as set inside a git hook
unset PYTHONDONTWRITEBYTECODE # all that is imported would be compiled in each of thousands of processes
exec .venv/bin/python -m pytest -n 2 --dist worksteal "$@"
