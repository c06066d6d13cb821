#!/bin/sh
# Sets the checkout up: a virtual environment in .venv, every dependency, the kernels compiled in
# place. Both commands of the README begin with it. It does only what is not done yet, so it may be
# run at any time; nothing outside the checkout is changed.
set -eu
cd -- "$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)"

fail() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# What a Python must have, told in words when it does not. Debian and its kin package venv and the
# C headers apart from the interpreter.
why_not() {
    "$1" - 2>/dev/null <<'PYTHON' || echo "does not run"
import os, sys, sysconfig

def why_not():
    if sys.version_info < (3, 11):
        return "is older than 3.11"
    try:
        import ensurepip, venv
    except ImportError:
        return "has no venv module (Debian, Ubuntu: apt install python3-venv)"
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        return "has no C headers (Debian, Ubuntu: apt install python3-dev; Fedora: python3-devel)"
    return ""

print(why_not())
PYTHON
}

find_python() {
    reasons=
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON" # one that was named is meant, and no other
    else
        set -- python3 python3.14 python3.13 python3.12 python3.11
    fi
    for name in "$@"; do
        [ -n "${PYTHON:-}" ] || command -v -- "$name" >/dev/null 2>&1 || continue
        reason=$(why_not "$name")
        if [ -z "$reason" ]; then
            python=$name
            return
        fi
        reasons="$reasons
    $name $reason"
    done
    fail "no usable Python found; fastio needs Python 3.11 or newer${reasons:+:$reasons}" \
        "install one, or name it: PYTHON=/path/to/python3 sh $0"
}

# An environment is for one interpreter, and for one place: the scripts in .venv/bin hold its path.
interpreter_state() {
    pwd
    .venv/bin/python -VV
}

# It is as good as the files that describe it.
environment_state() {
    cat pyproject.toml setup.py setup.sh | cksum
    interpreter_state
}

# Sources and what was compiled from them, so that a deleted module is noticed as well.
kernel_state() {
    find fastio workers -name '*.py[xd]' | LC_ALL=C sort | xargs cat /dev/null | cksum
    find fastio workers -name '*.so' | LC_ALL=C sort
}

is_current() { # FILE STATE
    [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]
}

make_environment() {
    command -v git >/dev/null 2>&1 || fail "git is not installed"
    command -v "${CC:-cc}" >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 ||
        fail "no C compiler found (Debian, Ubuntu: apt install build-essential)"
    if ! is_current .venv/interpreter.state "$(interpreter_state 2>/dev/null)"; then
        find_python
        echo "setup: making .venv and compiling the kernels, once (about two minutes)" >&2
        "$python" -m venv --clear .venv ||
            fail "$python could not make a virtual environment (Debian, Ubuntu: apt install python3-venv)"
        interpreter_state >.venv/interpreter.state
    else
        echo "setup: bringing .venv and the kernels up to date" >&2
    fi
    # pip 23.1 is the first that knows everything pyproject.toml asks for.
    .venv/bin/python -c 'import pip, sys; sys.exit([int(n) for n in pip.__version__.split(".")[:2]] < [23, 1])' ||
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
    # What builds is installed first and stays. Left to itself, pip installs it a second time, out of
    # reach: a Cython that is new each time, for which every kernel is translated again.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check 'setuptools>=77' 'cython>=3.3'
    .venv/bin/python -m pip install --quiet --disable-pip-version-check \
        --no-build-isolation --editable '.[dev]'
    environment_state >.venv/environment.state
    kernel_state >.venv/kernels.state
}

build_kernels() {
    echo "setup: compiling the kernels that changed" >&2
    .venv/bin/python setup.py --quiet build_ext --inplace
    kernel_state >.venv/kernels.state
}

# Prints what has to be done; nothing where all is as it should be.
missing_step() {
    if ! .venv/bin/python -c '' 2>/dev/null || ! is_current .venv/environment.state "$(environment_state)"; then
        echo make_environment
    elif ! is_current .venv/kernels.state "$(kernel_state)"; then
        echo build_kernels
    fi
}

# One set-up of a checkout at a time; others wait, and find it done. What is locked is this file, by
# the shell that has it open: so the lock ends with the shell, however that ends. Where files cannot
# be locked (some network file systems) it goes without.
take_turn() {
    exec 9<setup.sh
    for name in "${PYTHON:-python3}" .venv/bin/python; do
        command -v -- "$name" >/dev/null 2>&1 || continue
        "$name" - 9<&9 <<'PYTHON' && return
import fcntl, sys

try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("setup: waiting for another one in this checkout", file=sys.stderr)
    fcntl.flock(9, fcntl.LOCK_EX)
except OSError as error:
    print(f"setup: {error}; do not run two at once", file=sys.stderr)
PYTHON
    done
}

if [ -n "$(missing_step)" ]; then
    take_turn || :
    $(missing_step)
fi
