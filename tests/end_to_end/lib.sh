# Shared by the end-to-end tests: a scratch directory and two expectations.
# Usage: . lib.sh PROGRAM SOURCE_DIRECTORY
set -euo pipefail
evergreen=$1
speaker=evergreen # whose errors they are
source=$2
configs=$source/apps/configs
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect_status STATUS WORDS COMMAND...: the command must end with this status
# and, if it fails, with one line on standard error that contains the words. The
# libraries behind it (PETSc) have no opinion about its options.
expect_status() {
  local status=$1 words=$2 actual=0
  shift 2
  "$@" >out.txt 2>err.txt || actual=$?
  if [ "$actual" -ne "$status" ]; then
    fail "status $actual instead of $status: $*"
    cat err.txt
  fi
  if [ "$status" -ne 0 ]; then
    local n_lines
    n_lines=$(grep -c "^$speaker: " err.txt || true)
    [ "$n_lines" -eq 1 ] || { fail "$n_lines error lines instead of 1: $*"; cat err.txt; }
  fi
  ! grep -q "^Option left" err.txt out.txt || fail "a library complains about options: $*"
  grep -qF -- "$words" err.txt out.txt || { fail "'$words' is not said: $*"; cat err.txt; }
}

finish() {
  [ "$failures" -eq 0 ] || { echo "$failures expectations failed"; exit 1; }
  echo "all expectations met"
}

# use_tutorial NAME: the tests are about this program from now on.
use_tutorial() {
  speaker=tutorial_$1
  tutorial=$(dirname "$evergreen")/$speaker
  parameters=$source/apps/tutorials/$1/$1.prm
  export PYTHONPATH=$source/apps/tutorials/pictures PYTHONDONTWRITEBYTECODE=1
}

# expect_refusals: what every tutorial does with bad input, and that its .prm
# file has its defaults.
expect_refusals() {
  "$tutorial" --parameters | sed 's/ *#.*//' >defaults.txt
  "$tutorial" "$parameters" --parameters | sed 's/ *#.*//' >file.txt
  cmp defaults.txt file.txt || { fail "the .prm file differs from the defaults"; diff defaults.txt file.txt; }
  expect_status 0 "--set" "$tutorial" --help
  expect_status 1 "no/such" "$tutorial" -o /dev/null/no/such
  expect_status 2 "missing.prm" "$tutorial" missing.prm
  expect_status 2 "$speaker --parameters" "$tutorial" --set "Greedy/Nurons=3"
  expect_status 2 "--sett" "$tutorial" --sett "Greedy/Neurons=3"
  expect_status 2 "Neurons" "$tutorial" --set "Greedy/Neurons=many"
  expect_status 2 "Wavelength" mpirun -n 2 "$tutorial" --set "Forcing/Model=band-limited" --set "Forcing/Wavelength=-1"
}
