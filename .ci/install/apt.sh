# Installation of Debian packages. Sourced.

# Runs a command as root, if that can be done here.
as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo -n "$@"; fi
}

# Installs Debian packages, if this is a machine where that can be done. Parts that run at the same time wait for each
# other: apt-get does not wait for its lists.
apt_install() {
  command -v apt-get >/dev/null && as_root true 2>/dev/null || return 1
  (
    flock 9
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"
  ) 9>"${TMPDIR:-/tmp}/crud-apt.lock"
}

# at_least VERSION OTHER: whether the other version is not older.
at_least() {
  printf '%s\n' "$1" "$2" | sort --version-sort --check=silent
}
