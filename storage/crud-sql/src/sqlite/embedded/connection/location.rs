//! [`Location`]: a database and its settings, as a URL states them.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use rusqlite::OpenFlags;

use crate::model::adapter_error::AdapterError;

/// The parameters of a URL.
const PARAMETERS: [&str; 6] = ["mode", "cache", "immutable", "vfs", "mmap_size", "journal_mode"];

/// Characters that a path of a `file:` URI must escape.
const PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'?');

/// A database, and the settings with which it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sqlite::embedded) struct Location {
    file: PathBuf,
    mode: Mode,
    immutable: bool,
    vfs: Option<String>,
    mmap_size: Option<u64>,
    keeps_journal: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    ReadOnly,
    ReadWrite,
    Create,
    Memory,
}

impl Location {
    /// The location of a URL such as `sqlite://shop.db?mode=ro`.
    ///
    /// # Errors
    /// When the URL is not one of SQLite's, names no file, or has an unknown parameter or an unknown value of one.
    pub(in crate::sqlite::embedded) fn of_url(url: &str) -> Result<Self, AdapterError> {
        let refuse = |reason: String| AdapterError::Other(reason.into());
        let Some(rest) = url.strip_prefix("sqlite:") else {
            return Err(refuse(format!("`{url}` is not a URL of SQLite such as `sqlite://shop.db`")));
        };
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let (name, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let name = percent_decode_str(name).decode_utf8().map_err(|error| AdapterError::Other(error.into()))?;
        let mut location = Self {
            file: PathBuf::from(&*name),
            mode: Mode::Create,
            immutable: false,
            vfs: None,
            mmap_size: None,
            keeps_journal: false,
        };
        for (key, value) in url::form_urlencoded::parse(parameters.as_bytes()) {
            let unknown = || refuse(format!("unknown value `{value}` of the parameter `{key}` in `{url}`"));
            match (&*key, &*value) {
                ("mode", mode) => location.mode = Mode::of(mode).ok_or_else(unknown)?,
                // Either value has no effect: every connection has a separate cache.
                ("cache", "private" | "shared") => {}
                ("immutable", "true" | "1") => location.immutable = true,
                ("immutable", "false" | "0") => location.immutable = false,
                ("vfs", name) => location.vfs = Some(name.to_owned()),
                ("mmap_size", bytes) => location.mmap_size = Some(bytes.parse().map_err(|_| unknown())?),
                ("journal_mode", "wal") => location.keeps_journal = false,
                ("journal_mode", "keep") => location.keeps_journal = true,
                ("cache" | "immutable" | "journal_mode", _) => return Err(unknown()),
                _ => {
                    let known = PARAMETERS.join("`, `");
                    return Err(refuse(format!("unknown parameter `{key}` in `{url}`, expected one of `{known}`")));
                }
            }
        }
        if &*name == ":memory:" {
            location.mode = Mode::Memory;
        }
        if name.is_empty() && location.mode != Mode::Memory {
            return Err(refuse(format!("`{url}` names no file")));
        }
        Ok(location)
    }

    /// The identity of the current file, to compare it with that of the opened one; `None` for a database in memory.
    pub(in crate::sqlite::embedded) fn identity(&self) -> std::io::Result<Option<FileIdentity>> {
        if self.is_in_memory() {
            Ok(None)
        } else {
            std::fs::metadata(&self.file).map(|file| Some(FileIdentity::of(&file)))
        }
    }

    pub(in crate::sqlite::embedded) fn is_in_memory(&self) -> bool {
        self.mode == Mode::Memory
    }

    /// Whether nothing is written to the database.
    pub(in crate::sqlite::embedded) fn is_read_only(&self) -> bool {
        self.mode == Mode::ReadOnly || self.immutable
    }

    /// Changes the location so that the database is opened for reads and not created.
    pub(in crate::sqlite::embedded) fn into_reader(mut self) -> Self {
        if !self.is_in_memory() {
            self.mode = Mode::ReadOnly;
        }
        self
    }

    /// Whether the file does not exist and is created when it is opened.
    pub(in crate::sqlite::embedded) fn is_missing_file(&self) -> bool {
        let directory = self.file.parent().filter(|directory| !directory.as_os_str().is_empty());
        self.mode == Mode::Create && !self.file.exists() && directory.is_none_or(Path::is_dir)
    }

    /// The file; `None` for a database in memory or on another VFS, which need not have files.
    pub(in crate::sqlite::embedded) fn file(&self) -> Option<&Path> {
        (!self.is_in_memory() && self.vfs.is_none()).then_some(&*self.file)
    }

    /// The bytes of the file that readers map into memory, if the URL says.
    pub(in crate::sqlite::embedded) const fn mmap_size(&self) -> Option<u64> {
        self.mmap_size
    }

    /// Whether the file's journal mode stays as another program set it.
    pub(in crate::sqlite::embedded) const fn keeps_journal(&self) -> bool {
        self.keeps_journal
    }

    pub(in crate::sqlite::embedded) fn open(&self) -> rusqlite::Result<rusqlite::Connection> {
        // SQLite's mutexes are off, as a connection is used by one thread at a time.
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
        flags |= match self.mode {
            _ if self.immutable => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Mode::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Mode::ReadWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Mode::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            Mode::Memory => return rusqlite::Connection::open_in_memory_with_flags(flags | OpenFlags::default()),
        };
        let mut file = self.file.clone();
        if self.immutable {
            flags |= OpenFlags::SQLITE_OPEN_URI;
            let path = self.file.to_string_lossy();
            file = format!("file:{}?immutable=1", utf8_percent_encode(&path, PATH)).into();
        }
        match &self.vfs {
            Some(vfs) => rusqlite::Connection::open_with_flags_and_vfs(file, flags, vfs.as_str()),
            None => rusqlite::Connection::open_with_flags(file, flags),
        }
    }
}

impl Mode {
    fn of(text: &str) -> Option<Self> {
        Some(match text {
            "ro" => Self::ReadOnly,
            "rw" => Self::ReadWrite,
            "rwc" => Self::Create,
            "memory" => Self::Memory,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_file_and_a_mode() {
        for (url, file, mode) in [
            ("sqlite://shop.db", "shop.db", Mode::Create),
            ("sqlite:shop.db", "shop.db", Mode::Create),
            ("sqlite:///var/lib/shop.db", "/var/lib/shop.db", Mode::Create),
            ("sqlite:a%3Fb.db?mode=ro&cache=shared", "a?b.db", Mode::ReadOnly),
            ("sqlite::memory:", ":memory:", Mode::Memory),
            ("sqlite://:memory:", ":memory:", Mode::Memory),
            ("sqlite://?mode=memory", "", Mode::Memory),
        ] {
            let location = Location::of_url(url).unwrap();
            assert_eq!((location.file.to_str(), location.mode), (Some(file), mode), "{url}");
        }
    }

    #[test]
    fn what_a_url_cannot_mean_is_refused() {
        for (url, part) in [
            ("postgres://a", "is not a URL of SQLite"),
            ("sqlite:", "names no file"),
            ("sqlite://?mode=ro", "names no file"),
            ("sqlite:a.db?mod=ro", "unknown parameter `mod` in `sqlite:a.db?mod=ro`, expected one of `mode`, `cache`"),
            ("sqlite:a.db?mode=x", "unknown value `x` of the parameter `mode`"),
            ("sqlite:a.db?immutable=x", "unknown value `x` of the parameter `immutable`"),
            ("sqlite:a.db?journal_mode=delete", "unknown value `delete` of the parameter `journal_mode`"),
            ("sqlite:a.db?mmap_size=-1", "unknown value `-1` of the parameter `mmap_size`"),
        ] {
            let Err(AdapterError::Other(error)) = Location::of_url(url) else { panic!("{url} is refused") };
            assert!(error.to_string().contains(part), "{url}: {error}");
        }
    }
}

/// Identity of a file, by which it differs from another file of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sqlite::embedded) struct FileIdentity {
    #[cfg(unix)]
    inode: (u64, u64),
}

impl FileIdentity {
    #[cfg(unix)]
    fn of(file: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self { inode: (file.dev(), file.ino()) }
    }

    #[cfg(not(unix))]
    fn of(_: &std::fs::Metadata) -> Self {
        Self {}
    }
}
