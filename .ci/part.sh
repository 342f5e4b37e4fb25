# Running parts, and the summary of their seconds. Sourced, after lib.sh.

rows=() notes=() failed=()
mkdir -p "$target/ci"

# part NAME: runs one part, and adds its seconds to the summary.
part() {
  local status=0
  printf '\n== %s\n' "$1"
  measure "$1" || status=$?
  row "$1"
  return "$status"
}

# together LANE…: lanes at the same time. A lane is parts one after another, `docs,book`; what one prints comes when it has ended.
together() {
  local jobs=() lane job name status=0
  for name in ${*//,/ }; do rm -f "$target/ci/$name.log.row"; done
  for lane; do
    (
      for name in ${lane//,/ }; do
        status=0
        measure "$name" >/dev/null || status=$?
        { flock 8; printf '\n== %s\n' "$name"; cat "$target/ci/$name.log"; } 8>"$target/ci/output.lock"
        [[ $status -eq 0 ]] || exit "$status"
      done
    ) &
    jobs+=($!)
  done
  printf "\n== %s at the same time; the output of each part is in %s\n" "$*" "$target/ci"
  for job in "${jobs[@]}"; do wait "$job" || status=$?; done
  for name in ${*//,/ }; do row "$name"; done
  return "$status"
}

# measure NAME: runs one part; its output, and its row of the summary, are in files too.
measure() {
  local log="$target/ci/$1.log" begin=$EPOCHREALTIME TIMEFORMAT='%U %S' status=0 result=ok
  { time bash ".ci/parts/$1" 2>&1 | tee "$log"; } 2>"$log.times" || status=$?
  [[ $status -eq 0 ]] || result=FAILED
  awk -v name="$1" -v result="$result" -v begin="$begin" -v end="$EPOCHREALTIME" \
    '{ printf "%-14s %-6s %5.0f s %6.0f s\n", name, result, end - begin, $1 + $2 }' "$log.times" >"$log.row"
  return "$status"
}

# row NAME: adds a part to the summary, unless one before it in its lane has failed.
row() {
  local log="$target/ci/$1.log" line
  [[ -f "$log.row" ]] || return 0
  while IFS= read -r line; do notes+=("$line"); done < <(grep -Eo '(SKIPPED|FLAKY): .*' "$log" | sort -u)
  rows+=("$(cat "$log.row")")
  if grep -q FAILED "$log.row"; then failed+=("$1"); fi
  # The long parts keep them.
  read -r _ _ seconds _ cpu _ <"$log.row"
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
  local status=$? name
  for name in "${failed[@]}"; do
    printf '\n== %s failed\n' "$name"
    grep -nE '^ *(not ok|error)|panicked at|FAILED' "$target/ci/$name.log" | head -20 || true
    tail -40 "$target/ci/$name.log"
  done
  printf '\n== summary: %d s\n%-14s %-6s %7s %8s\n' "$SECONDS" part "" wall CPU
  printf '%s\n' "${rows[@]}"
  if [[ -n "${busy:-}" ]]; then echo "$busy"; fi
  if [[ ${#notes[@]} -gt 0 ]]; then printf '%s\n' "${notes[@]}"; fi
  exit "$status"
}
