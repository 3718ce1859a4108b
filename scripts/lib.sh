# shellcheck shell=bash
# What the scripts share: messages, the project's root, how many compilers fit
# into the machine, and the environment that MPI needs. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
me="scripts/$(basename "$0")"

# Bold on a terminal, plain elsewhere.
say() {
  if [ -t 1 ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi
}

die() {
  printf '%s: %s\n' "$me" "$*" >&2
  exit 1
}

bad_usage() {
  printf '%s: %s; see %s --help\n' "$me" "$*" "$me" >&2
  exit 2
}

have() { command -v "$1" >/dev/null 2>&1; }

# The comment block at the top of the calling script is its help text.
print_help() { awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"; }

# Memory that may be used now, in MiB: what the kernel calls available, and not
# more than a container's limit.
available_mib() {
  local mib limit
  mib=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null || true)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit =~ ^[0-9]+$ ]] && [ "${mib:-0}" -gt $((limit / 1048576)) ]; then
    mib=$((limit / 1048576))
  fi
  echo "${mib:-2048}"
}

# Parallel compilers: one a core, 1.7 GB each (a file with deal.II's and
# Trilinos' headers in three dimensions takes that much), at least one.
# EVERGREEN_JOBS overrides.
parallel_jobs() {
  local cores by_memory
  if [ -n "${EVERGREEN_JOBS:-}" ]; then
    echo "$EVERGREEN_JOBS"
    return
  fi
  cores=$(nproc 2>/dev/null || echo 1)
  by_memory=$(($(available_mib) / 1740))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# Open MPI refuses to run as root, and to start more ranks than cores, unless
# told that both are meant (release 5 reads the PRTE_ name).
export_mpi_environment() {
  if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  export OMPI_MCA_rmaps_base_oversubscribe=1
  export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
}

# configure PRESET [CMAKE ARGUMENTS...]: a build directory that was copied or
# moved from elsewhere is set up afresh.
configure() {
  local preset=$1 cache="$root/build/$1/CMakeCache.txt" fresh=()
  shift
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    fresh=(--fresh)
  fi
  (cd "$root" && cmake "${fresh[@]}" --preset "$preset" "$@")
}

# build PRESET [TARGETS...]
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  (cd "$root" && cmake --build --preset "$preset" --parallel "$(parallel_jobs)" "${targets[@]}")
}
