//! gzip, for clients that take it, and for those that do not take what is stored so.

use std::io::{Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// The bytes as gzip; `None` when they cannot be compressed.
pub(crate) fn compress(bytes: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// The bytes of a gzip file; `None` when it is damaged.
pub(crate) fn expand(gzip: &[u8]) -> Option<Bytes> {
    let mut bytes = Vec::new();
    GzDecoder::new(gzip).read_to_end(&mut bytes).ok()?;
    Some(bytes.into())
}
