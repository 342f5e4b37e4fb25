//! [`HeadLines`]: the ends of the lines in the heads of requests.

/// Finds line feeds without a carriage return in the heads of requests. hyper takes them for ends of lines, as RFC 9112
/// (section 2.2) allows, and a proxy in front may not: the two would disagree on where a request ends.
#[derive(Debug)]
pub(super) struct HeadLines {
    /// Whether bytes are of a head.
    in_head: bool,
    /// The last bytes, at most four.
    last: [u8; 3],
}

impl HeadLines {
    pub(super) const fn new() -> Self {
        Self { in_head: true, last: [0; 3] }
    }

    /// The next bytes are of a head.
    pub(super) fn begin(&mut self) {
        *self = Self::new();
    }

    /// Whether bytes are of a head.
    pub(super) const fn is_in_head(&self) -> bool {
        self.in_head
    }

    /// Reads bytes: overwrites a bare line feed with NUL, which no head may have, so that hyper answers with 400.
    pub(super) fn read(&mut self, bytes: &mut [u8]) {
        let mut position = 0;
        while self.in_head {
            let Some(offset) = memchr::memchr(b'\n', &bytes[position..]) else { break };
            let at = position + offset;
            let before = |back: usize| match at.checked_sub(back) {
                Some(index) => bytes[index],
                None => self.last[3 + at - back],
            };
            if before(1) != b'\r' {
                bytes[at] = 0;
                self.in_head = false;
                return;
            }
            // An empty line ends the head.
            self.in_head = !(before(2) == b'\n' && before(3) == b'\r');
            position = at + 1;
        }
        for byte in &bytes[bytes.len().saturating_sub(3)..] {
            self.last.rotate_left(1);
            self.last[2] = *byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What hyper reads of bytes that come in pieces of this size.
    fn read(text: &str, piece: usize) -> String {
        let (mut lines, mut bytes) = (HeadLines::new(), text.as_bytes().to_vec());
        bytes.chunks_mut(piece).for_each(|bytes| lines.read(bytes));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn bare_line_feed_in_a_head_is_overwritten() {
        for piece in 1..40 {
            let head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
            assert_eq!(read(head, piece), head, "in pieces of {piece}");
            assert_eq!(read("GET / HTTP/1.1\nHost: x\r\n\r\n", piece), "GET / HTTP/1.1\0Host: x\r\n\r\n");
            assert!(read("GET / HTTP/1.1\r\nHost: x\r\n\n", piece).contains('\0'), "in pieces of {piece}");
            assert!(read("GET / HTTP/1.1\r\nHost: x\n\r\n", piece).contains('\0'), "in pieces of {piece}");
        }
    }

    #[test]
    fn line_feeds_of_a_body_stay() {
        for piece in 1..40 {
            let request = "PUT / HTTP/1.1\r\nHost: x\r\n\r\n{\n}\n\n";
            assert_eq!(read(request, piece), request, "in pieces of {piece}");
        }
    }
}
