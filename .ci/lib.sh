# What all parts share. Sourced, in the repository's directory.

export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"
# A fresh clone is built once: what only helps the next build, or a debugger, is left out.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
# One selection for all parts: with another, cargo builds the dependencies again. The linter (`.ci/compiler`) is the
# compiler of the workspace's packages: `cargo clippy` would read everything a second time, without what it depends on in
# machine code.
selected=(--locked --workspace --all-features)
everything=("${selected[@]}" --config 'build.rustc-workspace-wrapper=".ci/compiler"')
# Its advice is an error.
export CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
# The back ends of the default part. MongoDB has a separate part.
default_backends=sqlite,postgres,mysql,memory

# skip NAME REASON: reports what is not checked here.
skip() {
  echo "SKIPPED: $1: $2"
}
