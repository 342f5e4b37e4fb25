# What all parts share. Sourced, in the repository's directory.

export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"
# A fresh clone is built once: what only helps the next build, or a debugger, is left out.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
# One selection for all parts: with another, cargo builds the dependencies again.
everything=(--locked --workspace --all-features)
# The back ends of the default part. MongoDB's has a part of its own.
default_backends=sqlite,postgres,mysql,memory

# skip NAME REASON: reports what is not checked here.
skip() {
  echo "SKIPPED: $1: $2"
}
