# What all parts share. Sourced, in the repository's directory.

export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"
# A fresh clone is built once: what only helps the next build, or a debugger, is left out.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
# One selection for all parts: with another, cargo builds the dependencies again.
everything=(--locked --workspace --all-features)
# The back ends of the default part. MongoDB's has a part of its own.
default_backends=sqlite,postgres,mysql,memory

rows=()
skips=()
current=""

# part NAME: runs one part, and adds its seconds to the summary.
part() {
  local log="$target/ci/$1.log" begin=$EPOCHREALTIME TIMEFORMAT='%U %S' status=0 line
  mkdir -p "$target/ci"
  current="$1"
  printf '\n== %s\n' "$1"
  { time bash ".ci/parts/$1" 2>&1 | tee "$log"; } 2>"$log.times" || status=$?
  seconds=$(awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.0f", end - begin }')
  cpu=$(awk '{ printf "%.0f", $1 + $2 }' "$log.times")
  while IFS= read -r line; do skips+=("$line"); done < <(sed -n 's/.*SKIPPED: //p' "$log" | sort -u)
  [[ $status -eq 0 ]] || return "$status"
  rows+=("$(printf '%-14s ok %6d s %6d s' "$1" "$seconds" "$cpu")")
  current=""
}

# skip NAME REASON: reports what is not checked here.
skip() {
  echo "SKIPPED: $1: $2"
}

# Whether the machine had other work: seconds of such a run do not count.
say_load() {
  local load
  read -r load _ </proc/loadavg || return 0
  if awk -v load="$load" 'BEGIN { exit !(load > 1) }'; then
    busy="the load was $load at the start: the seconds of this run do not count"
    echo "$busy"
  fi
}

summary() {
  local status=$?
  [[ $status -eq 0 || -z "$current" ]] || rows+=("$(printf '%-14s FAILED' "$current")")
  printf '\n== summary: %d s\n%-14s    %8s %8s\n' "$SECONDS" part wall CPU
  printf '%s\n' "${rows[@]}"
  if [[ -n "${busy:-}" ]]; then echo "$busy"; fi
  if [[ ${#skips[@]} -gt 0 ]]; then printf 'SKIPPED: %s\n' "${skips[@]}"; fi
  exit "$status"
}
