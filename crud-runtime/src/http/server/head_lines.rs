//! [`HeadLines`]: the ends of the lines in the heads of requests.

use super::request_body::BodyLength;

/// Finds line feeds without a carriage return in the heads of requests. hyper takes them for ends of lines, as RFC 9112
/// (section 2.2) allows, and a proxy in front may not: the two would disagree on where a request ends.
///
/// hyper gets the bytes up to a head's end, and says how long the body is before it gets more: so the head that follows
/// is found where hyper finds it.
#[derive(Debug)]
pub(super) struct HeadLines {
    part: Part,
    /// The last bytes that were read.
    last: [u8; 3],
}

/// The part of a request that the next byte belongs to.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The empty lines that a request may begin with.
    Start {
        after_return: bool,
    },
    Head,
    /// The head is complete, and the length of its body is not known yet.
    Body,
    /// The rest of a body of known length.
    Rest(u64),
    /// The line that begins a chunk, of this size so far.
    ChunkLine {
        size: u64,
        /// Whether the digits of the size have ended.
        has_ended: bool,
    },
    /// A chunk's bytes and the end of their line.
    Chunk(u64),
    Trailers,
    /// A bare line feed was found.
    Refused,
}

impl HeadLines {
    pub(super) const fn new() -> Self {
        Self { part: Part::START, last: [0; 3] }
    }

    /// Whether the length of a body has to be known for more to be read.
    pub(super) const fn needs_length(&self) -> bool {
        matches!(self.part, Part::Body)
    }

    /// The length of the body that is next.
    pub(super) fn set_length(&mut self, length: BodyLength) {
        self.part = match length {
            BodyLength::Bytes(length) => Part::rest(length),
            BodyLength::Chunked => Part::CHUNK_LINE,
        };
    }

    /// Reads bytes up to a head's end, and returns their number. Overwrites a bare line feed with NUL, which is illegal
    /// in a head, so that hyper answers with 400.
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && !self.needs_length() {
            at = self.read_part(bytes, at);
        }
        for byte in &bytes[at.saturating_sub(3)..at] {
            self.last.rotate_left(1);
            self.last[2] = *byte;
        }
        at
    }

    /// Reads bytes of one part from this position on, and returns where they end.
    fn read_part(&mut self, bytes: &mut [u8], from: usize) -> usize {
        let byte = bytes[from];
        match self.part {
            Part::Body => from,
            Part::Refused => bytes.len(),
            Part::Start { after_return } => {
                match byte {
                    b'\r' => self.part = Part::Start { after_return: true },
                    b'\n' if after_return => self.part = Part::START,
                    b'\n' => self.refuse(&mut bytes[from]),
                    _ => self.part = Part::Head,
                }
                from + 1
            }
            Part::Head | Part::Trailers => self.read_line(bytes, from),
            Part::Rest(rest) => {
                let read = rest.min((bytes.len() - from) as u64);
                self.part = Part::rest(rest - read);
                from + usize::try_from(read).unwrap_or_default()
            }
            Part::Chunk(rest) => {
                let read = rest.min((bytes.len() - from) as u64);
                self.part = if rest == read { Part::CHUNK_LINE } else { Part::Chunk(rest - read) };
                from + usize::try_from(read).unwrap_or_default()
            }
            Part::ChunkLine { size, has_ended } => {
                let digit = char::from(byte).to_digit(16).filter(|_| !has_ended);
                self.part = match (byte, digit) {
                    (b'\n', _) if size == 0 => Part::Trailers,
                    (b'\n', _) => Part::Chunk(size.saturating_add(2)),
                    (_, Some(digit)) => {
                        let size = size.saturating_mul(16).saturating_add(u64::from(digit));
                        Part::ChunkLine { size, has_ended }
                    }
                    _ => Part::ChunkLine { size, has_ended: true },
                };
                from + 1
            }
        }
    }

    /// Reads a line of a head or of trailers, or the beginning of one.
    fn read_line(&mut self, bytes: &mut [u8], from: usize) -> usize {
        let Some(offset) = memchr::memchr(b'\n', &bytes[from..]) else { return bytes.len() };
        let at = from + offset;
        let before = |back: usize| match at.checked_sub(back) {
            Some(index) => bytes[index],
            None => self.last[3 + at - back],
        };
        if before(1) != b'\r' {
            self.refuse(&mut bytes[at]);
        } else if before(2) == b'\n' && before(3) == b'\r' {
            // An empty line ends a head or trailers.
            self.part = if matches!(self.part, Part::Trailers) { Part::START } else { Part::Body };
        }
        at + 1
    }

    const fn refuse(&mut self, line_feed: &mut u8) {
        *line_feed = 0;
        self.part = Part::Refused;
    }
}

impl Part {
    const START: Self = Self::Start { after_return: false };

    const CHUNK_LINE: Self = Self::ChunkLine { size: 0, has_ended: false };

    /// The rest of a body of known length.
    const fn rest(length: u64) -> Self {
        if length == 0 { Self::START } else { Self::Rest(length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that hyper reads of a text that arrives in pieces of this size; its requests have these bodies.
    fn read(text: &str, piece: usize, bodies: &[BodyLength]) -> String {
        let (mut lines, mut bytes, mut bodies) = (HeadLines::new(), text.as_bytes().to_vec(), bodies.iter());
        for piece in bytes.chunks_mut(piece) {
            let mut read = 0;
            while read < piece.len() {
                if lines.needs_length() {
                    lines.set_length(*bodies.next().unwrap());
                }
                read += lines.read(&mut piece[read..]);
            }
        }
        String::from_utf8(bytes).unwrap()
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    #[test]
    fn bare_line_feed_in_a_head_is_overwritten() {
        for piece in 1..60 {
            let read = |text: &str| read(text, piece, &[BodyLength::Bytes(0)]);
            assert_eq!(read(GET), GET, "in pieces of {piece}");
            assert_eq!(read("GET / HTTP/1.1\nHost: x\r\n\r\n"), "GET / HTTP/1.1\0Host: x\r\n\r\n");
            assert_eq!(read(&format!("\r\n\r\n{GET}")), format!("\r\n\r\n{GET}"), "in pieces of {piece}");
            for text in [
                "GET / HTTP/1.1\r\nHost: x\r\n\n",
                "GET / HTTP/1.1\r\nHost: x\n\r\n",
                &format!("\n{GET}"),
                &format!("\r\n\r\n{}", GET.replacen('\r', "", 1)),
                &format!("{GET}{}", GET.replacen('\r', "", 1)),
                &format!("{GET}\n{GET}"),
            ] {
                assert!(read(text).contains('\0'), "{text:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn line_feeds_of_a_body_stay_and_those_of_the_next_head_do_not() {
        let head = "PUT / HTTP/1.1\r\nHost: x\r\n\r\n";
        let whole = "{\n}\n\n\r\n\r\n";
        let chunks = "a;a=\"\u{e9}\"\r\n{\n}\n\n\r\n\r\n\n\r\n1\r\n\n\r\n2A \r\n0123456789\n123456789012345678901234567890\n\r\n0\r\n";
        for piece in 1..100 {
            for (length, body) in [
                (BodyLength::Bytes(whole.len() as u64), whole.to_owned()),
                (BodyLength::Chunked, format!("{chunks}\r\n")),
                (BodyLength::Chunked, format!("{chunks}X-A: b\r\nX-C: d\r\n\r\n")),
            ] {
                let requests = format!("{head}{body}{GET}{head}{body}{GET}");
                let lengths = [length, BodyLength::Bytes(0), length, BodyLength::Bytes(0)];
                assert_eq!(read(&requests, piece, &lengths), requests, "in pieces of {piece}");
                let bare = format!("{head}{body}{}", GET.replacen('\r', "", 1));
                assert!(read(&bare, piece, &lengths).contains('\0'), "{bare:?} in pieces of {piece}");
            }
            let bare = format!("{head}{chunks}X-A: b\n\r\n{GET}");
            assert!(read(&bare, piece, &[BodyLength::Chunked]).contains('\0'), "in pieces of {piece}");
        }
    }
}
