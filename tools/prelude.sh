# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What every script under tools/ starts with: where things are, and how it talks to the person who ran it.
# Sourced, never run. Progress goes to stderr, so that a script's stdout is its answer and nothing else.

set -euo pipefail

partita_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Things that are expensive to get and do not depend on the working copy: a clean build must not fetch them again.
# Without a HOME (a bare container, a service) they go below the build folder, which always exists.
if [[ -n ${PARTITA_CACHE:-} ]]; then
  partita_cache=$PARTITA_CACHE
elif [[ -n ${XDG_CACHE_HOME:-}${HOME:-} ]]; then
  partita_cache=${XDG_CACHE_HOME:-$HOME/.cache}/partita
else
  partita_cache=$partita_root/build/cache
fi

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# fail MESSAGE [WHAT TO DO]: ends the script.
fail() {
  say "failed: $1"
  [[ $# -lt 2 ]] || say "  what to do: $2"
  exit 1
}

# quietly LOG COMMAND...: runs the command with its output in LOG, and shows the end of it only when it fails.
quietly() {
  local log=$1 status=0
  shift
  "$@" >"$log" 2>&1 || status=$?
  [[ $status -eq 0 ]] || { say "'$*' ended with status $status; the end of $log:"; tail -n 40 "$log" >&2; }
  return "$status"
}
