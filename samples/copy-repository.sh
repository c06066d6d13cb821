#!/bin/sh
# Copies a repository's whole history through a pipe, then shows that every ref arrived.
#
#     sh samples/copy-repository.sh SOURCE NEW
set -eu
[ $# -eq 2 ] || {
    echo "usage: sh samples/copy-repository.sh SOURCE NEW" >&2
    exit 2
}
source=$1 copy=$2

git init --quiet --bare "$copy"
# With --use-done-feature an export that dies half-way is an error here and not a short history.
fastio -C "$source" export --all --use-done-feature --signed-tags=verbatim |
    fastio -C "$copy" import --quiet

listing='%(objectname) %(refname)'
expected=$(git -C "$source" for-each-ref --format="$listing" refs/heads refs/tags)
if [ "$(git -C "$copy" for-each-ref --format="$listing" refs/heads refs/tags)" = "$expected" ]; then
    echo "all $(printf '%s\n' "$expected" | wc -l | tr -d ' ') branches and tags are the same"
else
    echo "the copy differs from its source" >&2
    exit 1
fi
