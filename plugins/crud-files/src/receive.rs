//! [`receive`]: writes a body to an object; counts, hashes and sniffs the bytes on the way.

use std::fmt::Write as _;

use bytes::{Bytes, BytesMut};
use crud_runtime::BoxError;
use crud_runtime::error::{Code, FieldError, Problem};
use futures_util::{Stream, StreamExt};
use sha2::{Digest, Sha256};

use crate::media_type::{self, SNIFFED};
use crate::options::FileOptions;
use crate::refusal::too_large;
use crate::storage::unavailable;
use crate::storage::writer::Writer;

/// The rules for a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'r> {
    pub(crate) field: &'static str,
    pub(crate) options: &'static FileOptions,
    /// The type that the sender states.
    pub(crate) stated: Option<&'r str>,
}

/// The facts of a received file.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) media_type: &'static str,
    pub(crate) size: u64,
    pub(crate) sha256: String,
}

/// Writes a body to an object, and returns its type, size and hash.
///
/// # Errors
/// `body_too_large`, `unsupported_media_type`, `request_timeout` and `unavailable`; nothing is stored then.
pub(crate) async fn receive(
    body: impl Stream<Item = Result<Bytes, BoxError>>,
    mut writer: Writer,
    rules: Rules<'_>,
) -> Result<Received, Problem> {
    let (mut hash, mut size, mut head) = (Sha256::new(), 0, Head::default());
    let mut body = std::pin::pin!(body);
    while let Some(bytes) = body.next().await {
        let bytes = bytes.map_err(interrupted)?;
        size += bytes.len() as u64;
        if size > rules.options.max {
            return Err(too_large(rules.field, rules.options));
        }
        head.add(&bytes, rules)?;
        hash.update(&bytes);
        writer.write(bytes).await.map_err(unavailable)?;
    }
    let media_type = head.media_type(rules)?;
    writer.finish().await.map_err(unavailable)?;
    Ok(Received { media_type, size, sha256: hexadecimal(&hash.finalize()) })
}

/// The first bytes of a file, and its type as soon as there are enough bytes.
#[derive(Debug, Default)]
pub(crate) struct Head {
    bytes: BytesMut,
    media_type: Option<&'static str>,
}

impl Head {
    /// Adds bytes.
    ///
    /// # Errors
    /// `unsupported_media_type` as soon as the type is known, before the rest is read.
    pub(crate) fn add(&mut self, bytes: &[u8], rules: Rules<'_>) -> Result<(), Problem> {
        if self.media_type.is_none() {
            let missing = SNIFFED - self.bytes.len();
            self.bytes.extend_from_slice(&bytes[..missing.min(bytes.len())]);
            if self.bytes.len() == SNIFFED {
                self.media_type(rules)?;
            }
        }
        Ok(())
    }

    /// The type of the bytes so far.
    ///
    /// # Errors
    /// `unsupported_media_type` for a type that the field does not admit.
    pub(crate) fn media_type(&mut self, rules: Rules<'_>) -> Result<&'static str, Problem> {
        let found = *self.media_type.get_or_insert_with(|| media_type::sniff(&self.bytes, rules.stated));
        if rules.options.admits(found) {
            return Ok(found);
        }
        let allowed = rules.options.types.join(", ");
        let detail = format!("the file is {found} by its first bytes; {} must be one of: {allowed}", rules.field);
        let error = FieldError::field(rules.field, "type", detail);
        Err(Problem::with_errors(Code::UnsupportedMediaType, [error]))
    }
}

/// The problem of a body that breaks off. For a sender that is too slow, the service itself answers.
pub(crate) fn interrupted(error: BoxError) -> Problem {
    Problem::with_source(Code::MalformedRequest, "the body ended before its end", error)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to memory cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
