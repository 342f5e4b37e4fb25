# .ci/long.tsv: a line for each green run of a long part, `content part seconds cpu date commit`. `content` is a hash of
# the files that the part depends on, without texts and these lines, so that the long parts can be run one after another over
# days, and a commit of their results, or of another part, leaves them valid. Sourced.

records=.ci/long.tsv

# content NAME: the content that a part has run on. Left out are other parts, checks that only they have, and, where the part
# names suites of tests, the other suites.
content() {
  local part=".ci/parts/$1" suites checks
  suites=$(cat "$part" $(grep -o '\.ci/cases' "$part" || true) | grep -oE -- '--test [a-z_]+' | cut -d ' ' -f 2 || true)
  checks=$(grep -ohE 'checks/[a-z_]+\.py' "$part" .ci/run .ci/*.sh .ci/suites .ci/cases .ci/schemathesis | cut -d / -f 2)
  git ls-tree -r HEAD | grep -vE $'\t'"($records|docs/llms\.txt|.*\.md)\$" | awk -F '\t' -v part="$part" \
    -v suites="$(xargs <<<"$suites")" -v checks="$(xargs <<<"$checks")" '
    function has(list, word) { return index(" " list " ", " " word " ") }
    { split($2, folder, "/") }
    $2 ~ /^\.ci\/parts\// && $2 != part { next }
    $2 ~ /^\.ci\/checks\// && !has(checks, folder[3]) { next }
    $2 ~ /^tests\/tests\/[a-z_]+\// && suites != "" && !has(suites, folder[3]) { next }
    { print }' | sha256sum | cut -c 1-12
}

# record NAME: adds the part that has just run, unless it was skipped as a whole.
record() {
  if grep -q "^SKIPPED: $1: " "$target/ci/$1.log"; then
    echo "not recorded: it was skipped"
    return
  fi
  if ! git diff --quiet HEAD -- . ":!$records"; then
    echo "not recorded: there are changes that are not committed"
    return
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(content "$1")" "$1" "$seconds" "$cpu" "$(date --utc +%F)" "$(git rev-parse --short HEAD)" >>"$records"
}

# record_missing NAME…: those of these parts that have no green run on this content, a line each.
record_missing() {
  local name
  for name in "$@"; do
    grep -q "^$(content "$name")"$'\t'"$name"$'\t' "$records" 2>/dev/null || echo "$name"
  done
}

# record_status NAME…: each part's last green run, and whether it was on this content.
record_status() {
  local name last
  for name in "$@"; do
    last=$(grep $'\t'"$name"$'\t' "$records" 2>/dev/null | tail -1 || true)
    if [[ -z "$last" ]]; then
      printf '%-14s never run\n' "$name"
    elif [[ "$last" == "$(content "$name")"* ]]; then
      printf '%-14s green, %s s, %s\n' "$name" $(cut -f 3,5 <<<"$last")
    else
      printf '%-14s green on other content: %s s, %s, commit %s\n' "$name" $(cut -f 3,5,6 <<<"$last")
    fi
  done
}
