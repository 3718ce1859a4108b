# Shared by the end-to-end tests: a scratch directory and two expectations.
# Usage: . lib.sh PROGRAM SOURCE_DIRECTORY
set -euo pipefail
evergreen=$1
source=$2
configs=$source/apps/configs
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect_status STATUS WORDS COMMAND...: the command must end with this status
# and, if it fails, with one line on standard error that contains the words.
expect_status() {
  local status=$1 words=$2 actual=0
  shift 2
  "$@" >out.txt 2>err.txt || actual=$?
  if [ "$actual" -ne "$status" ]; then
    fail "status $actual instead of $status: $*"
    cat err.txt
  fi
  if [ "$status" -ne 0 ]; then
    grep -q '^evergreen: ' err.txt || fail "no error line: $*"
    [ "$(grep -c '^evergreen: ' err.txt)" -eq 1 ] || fail "several error lines: $*"
  fi
  grep -qF -- "$words" err.txt out.txt || { fail "'$words' is not said: $*"; cat err.txt; }
}

finish() {
  [ "$failures" -eq 0 ] || { echo "$failures expectations failed"; exit 1; }
  echo "all expectations met"
}
