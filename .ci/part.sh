# Running parts, and the summary of their seconds. Sourced, after lib.sh.

rows=() skips=() current=""
mkdir -p "$target/ci"

# part NAME: runs one part, and adds its seconds to the summary.
part() {
  printf '\n== %s\n' "$1"
  current="$1"
  measure "$1" && row "$1"
}

# together OTHER NAME…: parts one after another, and beside them another one; what that one prints comes after.
together() {
  local other="$1" status=0 job
  shift
  measure "$other" >/dev/null &
  job=$!
  printf '\n== %s has begun: its output is in %s\n' "$other" "$target/ci/$other.log"
  for name in "$@"; do
    part "$name" || { status=$?; wait "$job" || true; return "$status"; }
  done
  printf '\n== %s, beside %s\n' "$other" "$*"
  current="$other"
  wait "$job" || status=$?
  cat "$target/ci/$other.log"
  [[ $status -eq 0 ]] && row "$other"
}

# measure NAME: runs one part; its output and its seconds are in files too.
measure() {
  local log="$target/ci/$1.log" begin=$EPOCHREALTIME TIMEFORMAT='%U %S' status=0
  { time bash ".ci/parts/$1" 2>&1 | tee "$log"; } 2>"$log.times" || status=$?
  awk -v begin="$begin" -v end="$EPOCHREALTIME" '{ printf "%.0f %.0f", end - begin, $1 + $2 }' "$log.times" >"$log.seconds"
  return "$status"
}

# row NAME: adds a part that has run to the summary.
row() {
  local log="$target/ci/$1.log" line
  read -r seconds cpu <"$log.seconds" || true
  while IFS= read -r line; do skips+=("$line"); done < <(sed -n 's/.*SKIPPED: //p' "$log" | sort -u)
  rows+=("$(printf '%-14s ok %6d s %6d s' "$1" "$seconds" "$cpu")")
  current=""
}

# Whether the machine had other work: seconds of such a run do not count.
say_load() {
  local average
  read -r average _ </proc/loadavg || return 0
  awk -v average="$average" 'BEGIN { exit average > 1 }' && return
  busy="the load was $average at the start: the seconds of this run do not count"
  echo "$busy"
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
