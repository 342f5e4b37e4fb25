# The arguments by which the part `build` has compiled a library (`.ci/compiler` keeps them): rustc and rustdoc read it
# beside dependencies that are compiled already, where cargo would read those again, for their metadata alone. Sourced,
# after lib.sh.

# compiled LIBRARY: sets `options` to them, without those about messages and output, and `features` to the enabled ones.
compiled() {
  local arguments i
  # `declare` would be local to the function.
  source <(sed 's/^declare -x /export /' "$target/ci/compiled/$1")
  options=() features=()
  for ((i = 0; i < ${#arguments[@]}; i++)); do
    case "${arguments[i]}" in
      --error-format=* | --json=* | --emit=* | --diagnostic-width=*) ;;
      --out-dir) i=$((i + 1)) ;;
      --cfg) i=$((i + 1)) && features+=("${arguments[i]}") ;;
      *) options+=("${arguments[i]}") ;;
    esac
  done
}
