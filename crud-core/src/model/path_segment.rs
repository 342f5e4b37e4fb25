//! Segments of paths.

use std::fmt;

/// A text as a segment of a path: all but unreserved characters (RFC 3986, section 2.3) percent-encoded.
pub(super) fn encoded(text: &str) -> String {
    let mut segment = String::with_capacity(text.len());
    // Writing to memory cannot fail.
    let _ = write_encoded(&mut segment, text);
    segment
}

/// Writes a text as a segment of a path.
pub(super) fn write_encoded(f: &mut impl fmt::Write, text: &str) -> fmt::Result {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => f.write_char(char::from(byte))?,
            _ => write!(f, "%{byte:02X}")?,
        }
    }
    Ok(())
}
