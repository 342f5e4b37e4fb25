//! Files of a ZIP archive, served without decompression.
//!
//! A deflated ZIP entry and a gzip file have the same compressed bytes, checksum and length; only the headers around
//! them differ. So an entry can be served with `Content-Encoding: gzip`. Formats: APPNOTE.TXT 6.3 sections 4.3.7, 4.3.12
//! and 4.3.16, RFC 1952.

use bytes::Bytes;

use crate::http::static_file::StaticFile;

const END_OF_DIRECTORY: [u8; 4] = *b"PK\x05\x06";
const DIRECTORY_ENTRY: [u8; 4] = *b"PK\x01\x02";
const LOCAL_ENTRY: [u8; 4] = *b"PK\x03\x04";
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// A gzip header: deflate, no flags, no time, unknown file system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// The file of this name in the folder `dist`.
pub(super) fn file(archive: &'static [u8], name: &'static str, media_type: &'static str) -> Option<StaticFile> {
    let path_end = format!("/dist/{name}");
    let end = archive.windows(4).rposition(|window| window == END_OF_DIRECTORY)?;
    let entries = u16_at(archive, end + 10)?;
    let mut at = u32_at(archive, end + 16)?;
    for _ in 0..entries {
        let entry = archive.get(at..).filter(|entry| entry.starts_with(&DIRECTORY_ENTRY))?;
        let name_length = u16_at(entry, 28)?;
        let path = entry.get(46..46 + usize::from(name_length))?;
        if path.ends_with(path_end.as_bytes()) {
            return read(archive, entry, name, media_type);
        }
        at += 46 + usize::from(name_length) + usize::from(u16_at(entry, 30)?) + usize::from(u16_at(entry, 32)?);
    }
    None
}

fn read(archive: &'static [u8], entry: &[u8], name: &'static str, media_type: &'static str) -> Option<StaticFile> {
    let local = archive.get(u32_at(entry, 42)?..).filter(|local| local.starts_with(&LOCAL_ENTRY))?;
    let start = 30 + usize::from(u16_at(local, 26)?) + usize::from(u16_at(local, 28)?);
    let data = local.get(start..start + u32_at(entry, 20)?)?;
    let checksum: [u8; 4] = entry.get(16..20)?.try_into().ok()?;
    let length = entry.get(24..28)?;
    match u16_at(entry, 10)? {
        STORED => Some(StaticFile::plain(name, media_type, Bytes::from_static(data))),
        DEFLATED => {
            let gzip = [&GZIP_HEADER, data, &checksum, length].concat().into();
            Some(StaticFile::gzipped(name, media_type, gzip, u32::from_le_bytes(checksum).into()))
        }
        _ => None,
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)).ok()
}
