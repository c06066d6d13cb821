#!/bin/sh
# Sets everything up, imports a sample stream into a new repository, and shows its log.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
sh "$root/setup.sh"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE # as set inside a git hook

repository=$root/samples/out/first-import.git
rm -rf -- "$repository"
mkdir -p -- "$root/samples/out"
git -c init.defaultBranch=main init --quiet --bare "$repository"

"$root/.venv/bin/fastio" -C "$repository" import --quiet "$root/samples/history.fe"

git -C "$repository" --no-pager log --all --graph --date=short --stat=72 \
    --format='%h %ad %an: %s%d'
printf '\nThe new repository is %s\n' "$repository"
