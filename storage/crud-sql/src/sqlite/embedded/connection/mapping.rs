//! The part of a database's file that readers map into memory.
//!
//! If SQLite is compiled with `SQLITE_ENABLE_MEMORY_MANAGEMENT`, as by `libsqlite3-sys` 0.37, all connections share one
//! pool of cache pages. Each look at a page then takes a mutex of the process: two concurrent readers wait for each
//! other hundreds of times for a list. A mapped page is read without the cache. Pages in the write-ahead log are never
//! mapped.
//!
//! A mapped page that cannot be read raises `SIGBUS`, which ends the process. SQLite itself never truncates pages that
//! a snapshot uses, so that this needs another program that truncates the file, or a failing disk or file server. So a
//! file is mapped where that pays, and never on a network file system, unless the URL says so.

use std::path::Path;

use rusqlite::Connection;

use crate::sqlite::embedded::connection::location::Location;

/// Default size in bytes. The mapping takes addresses, and memory that the system reclaims when it is short.
const DEFAULT: u64 = 256 * 1024 * 1024;

/// Maps as much of a connection's file into memory as makes reads faster.
pub(in crate::sqlite::embedded) fn map(sqlite: &Connection, location: &Location) -> rusqlite::Result<()> {
    let Some(file) = location.file() else { return Ok(()) };
    let size = match location.mmap_size() {
        Some(size) => size,
        None if shares_lock(sqlite)? && is_local(file) => DEFAULT,
        None => 0,
    };
    sqlite.execute_batch(&format!("PRAGMA mmap_size = {size}"))
}

/// Whether the page caches of all connections share a mutex.
fn shares_lock(sqlite: &Connection) -> rusqlite::Result<bool> {
    sqlite.query_row("SELECT sqlite_compileoption_used('ENABLE_MEMORY_MANAGEMENT')", (), |row| row.get(0))
}

/// Whether the file is on a local file system, by its type in `statfs(2)`.
#[cfg(target_os = "linux")]
fn is_local(file: &Path) -> bool {
    const LOCAL: [u64; 8] = [
        0xEF53,      // ext2, ext3, ext4
        0x5846_5342, // XFS
        0x9123_683E, // Btrfs
        0x2FC1_2FC1, // ZFS
        0xF2F5_2010, // F2FS
        0xCA45_1A4E, // bcachefs
        0x0102_1994, // tmpfs
        0x794C_7630, // overlayfs, that of containers
    ];
    // On other processors, the type may have another width or sign; the number itself has 32 bits.
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
    nix::sys::statfs::statfs(file)
        .is_ok_and(|system| LOCAL.contains(&(system.filesystem_type().0 as u64 & 0xFFFF_FFFF)))
}

/// On other systems, nothing tells which files are safe to map.
#[cfg(not(target_os = "linux"))]
fn is_local(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::embedded::connection::open::{Open, Purpose};

    /// The bytes that a connection to a file in this directory may map.
    fn mapped(directory: &Path, parameters: &str, purpose: Purpose) -> u64 {
        let location = Location::of_url(&format!("sqlite://{}/a.db{parameters}", directory.display())).unwrap();
        let open = Open::at(&location, purpose).unwrap();
        open.sqlite().query_row("PRAGMA mmap_size", (), |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap()
    }

    #[test]
    fn readers_map_a_file_where_they_would_share_a_lock() {
        let directory = tempfile::TempDir::new().unwrap();
        let sqlite = Connection::open_in_memory().unwrap();
        let expected = if shares_lock(&sqlite).unwrap() && is_local(directory.path()) { DEFAULT } else { 0 };
        assert_eq!(mapped(directory.path(), "", Purpose::Read), expected);
        assert_eq!(mapped(directory.path(), "", Purpose::Write), 0);
    }

    #[test]
    fn url_says_how_much_readers_map() {
        let directory = tempfile::TempDir::new().unwrap();
        assert_eq!(mapped(directory.path(), "?mmap_size=1048576", Purpose::Read), 1_048_576);
        assert_eq!(mapped(directory.path(), "?mmap_size=0", Purpose::Read), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_other_file_systems_than_local_ones_are_not_mapped() {
        assert!(!is_local(Path::new("/proc/self/status")));
        assert!(!is_local(Path::new("/no/such/file")));
    }
}
