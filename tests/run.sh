#!/bin/sh
# Sets everything up and runs the tests. Arguments go to pytest: sh tests/run.sh -k marks
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
sh "$root/setup.sh"
cd -- "$root"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE # as set inside a git hook
exec .venv/bin/python -m pytest "$@"
