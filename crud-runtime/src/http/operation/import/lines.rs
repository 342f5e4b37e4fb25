//! [`Lines`]: splits a file into the texts of its records, as its bytes arrive.

use super::Format;
use crate::model::problem::{Code, FieldError, Part, Problem};

/// The byte order mark that some programs put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The text of a record, and the line that it begins on, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: String,
}

/// Position of a byte in comma-separated values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// At the start of a cell.
    Start,
    /// In a cell without quotes.
    Plain,
    /// In quotes, where a line feed is text.
    Quoted,
    /// After a quote in quotes: the end of the cell, or the first of two.
    Quote,
}

/// Splits a file into records. Each is one line; in comma-separated values, a quoted cell may span several lines.
#[derive(Debug)]
pub(super) struct Lines {
    format: Format,
    /// Limit of bytes in a record.
    limit: usize,
    buffer: Vec<u8>,
    /// Start of the current record in the buffer.
    start: usize,
    /// End of the part of the buffer that has been read.
    read: usize,
    place: LineState,
    /// The line that the record begins on.
    number: u64,
    /// The number of lines that the record has ended.
    ended: u64,
    /// Whether the file's first bytes have been checked for a byte order mark.
    has_begun: bool,
}

impl Lines {
    pub(super) fn new(format: Format, limit: usize) -> Self {
        let (buffer, start, read, place) = (Vec::new(), 0, 0, LineState::Start);
        Self { format, limit, buffer, start, read, place, number: 1, ended: 0, has_begun: false }
    }

    /// Adds the bytes that follow.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.read -= self.start;
        self.start = 0;
        self.buffer.reserve_exact(self.memory_with(bytes.len()) - self.buffer.len());
        self.buffer.extend_from_slice(bytes);
    }

    /// The size of the buffer, in bytes, once `more` bytes follow those that are not read yet or wait for the rest of
    /// their record. A buffer that is too small is doubled.
    pub(super) fn memory_with(&self, more: usize) -> usize {
        let (needed, present) = (self.buffer.len() - self.start + more, self.buffer.capacity());
        if needed <= present { present } else { needed.max(2 * present) }
    }

    /// The next complete record; empty lines are skipped.
    ///
    /// # Errors
    /// `body_too_large` for a record above the limit; `validation_failed` where it is not UTF-8.
    pub(super) fn next(&mut self) -> Result<Option<Line>, Problem> {
        if !self.has_begun {
            if self.buffer.len() < BYTE_ORDER_MARK.len() {
                return Ok(None);
            }
            self.begin();
        }
        while let Some(byte) = self.buffer.get(self.read).copied() {
            self.read += 1;
            if byte == b'\n' {
                self.ended += 1;
                if self.place != LineState::Quoted {
                    let line = self.take(self.read - 1)?;
                    if !line.text.is_empty() {
                        return Ok(Some(line));
                    }
                    continue;
                }
            }
            if self.format != Format::Ndjson {
                self.place = following(self.place, byte);
            }
            if self.read - self.start > self.limit {
                let detail = format!("a record must have at most {} bytes", self.limit);
                return Err(at(self.number, Problem::new(Code::BodyTooLarge, detail)));
            }
        }
        Ok(None)
    }

    /// The last record, whose line may have no line feed.
    ///
    /// # Errors
    /// Errors of [`next`](Self::next); `validation_failed` where a quoted cell has no end.
    pub(super) fn last(&mut self) -> Result<Option<Line>, Problem> {
        if !self.has_begun {
            self.begin();
        }
        // A file of fewer than three bytes has not been read yet.
        if let Some(line) = self.next()? {
            return Ok(Some(line));
        }
        if self.place == LineState::Quoted {
            let detail = "has a quoted cell without an end";
            return Err(at(self.number, Problem::validation([FieldError::whole("quote", detail)])));
        }
        let line = self.take(self.buffer.len())?;
        Ok(Some(line).filter(|line| !line.text.is_empty()))
    }

    fn begin(&mut self) {
        self.has_begun = true;
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.start = BYTE_ORDER_MARK.len();
            self.read = self.start;
        }
    }

    /// Takes the record that ends before this position. The next one begins after the bytes that have been read.
    fn take(&mut self, end: usize) -> Result<Line, Problem> {
        let bytes = &self.buffer[self.start..end];
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = String::from_utf8(bytes.to_vec());
        let number = self.number;
        self.number += std::mem::take(&mut self.ended);
        self.start = self.read;
        self.place = LineState::Start;
        match text {
            Ok(text) => Ok(Line { number, text }),
            Err(_) => Err(at(number, Problem::validation([FieldError::whole("encoding", "must be UTF-8")]))),
        }
    }
}

/// A problem at a line of the file.
pub(super) fn at(line: u64, problem: Problem) -> Problem {
    Problem::from_parts([(Part::Line(line), problem)])
}

fn following(place: LineState, byte: u8) -> LineState {
    match (place, byte) {
        (LineState::Quoted, b'"') => LineState::Quote,
        (LineState::Start | LineState::Quote, b'"') | (LineState::Quoted, _) => LineState::Quoted,
        (_, b',') => LineState::Start,
        _ => LineState::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records of a file whose bytes arrive in pieces of this size.
    fn lines(format: Format, file: &[u8], size: usize) -> Result<Vec<(u64, String)>, Problem> {
        let mut lines = Lines::new(format, 100);
        let mut found = Vec::new();
        for piece in file.chunks(size) {
            lines.push(piece);
            while let Some(Line { number, text }) = lines.next()? {
                found.push((number, text));
            }
        }
        while let Some(Line { number, text }) = lines.last()? {
            found.push((number, text));
        }
        Ok(found)
    }

    fn in_pieces(format: Format, file: &[u8], expected: &[(u64, &str)]) {
        for size in 1..=file.len().max(1) {
            let found = lines(format, file, size).expect("legal");
            let found: Vec<(u64, &str)> = found.iter().map(|(number, text)| (*number, text.as_str())).collect();
            assert_eq!(found, expected, "in pieces of {size}");
        }
    }

    const CSV: Format = Format::Csv { raw: false };

    #[test]
    fn a_record_is_a_line_and_quoted_cells_go_on() {
        in_pieces(
            Format::Ndjson,
            b"{\"a\":\"\n\"x\n\n\r\n{}\r\n[]",
            &[(1, "{\"a\":\""), (2, "\"x"), (5, "{}"), (6, "[]")],
        );
        in_pieces(CSV, b"a,b\r\n\"1\n2\",x\n3,4\r\n", &[(1, "a,b"), (2, "\"1\n2\",x"), (4, "3,4")]);
        in_pieces(CSV, b"\"a\"\"\nb\",\"\"\n5\" disk,\"x\"", &[(1, "\"a\"\"\nb\",\"\""), (3, "5\" disk,\"x\"")]);
        in_pieces(CSV, b"\xEF\xBB\xBF\"a\nb\"\n1", &[(1, "\"a\nb\""), (3, "1")]);
        in_pieces(CSV, b"a", &[(1, "a")]);
        in_pieces(CSV, b"", &[]);
    }

    #[test]
    fn what_has_no_end_or_is_no_text_is_an_error_at_its_line() {
        for (file, expected) in [
            (&b"a\n\"b\nc\nd"[..], "line 2: has a quoted cell without an end"),
            (b"a\nb\n\xFF\n", "line 3: must be UTF-8"),
            (&[b'x'; 200], "line 1: a record must have at most 100 bytes"),
        ] {
            for size in [1, 7, 1000] {
                let problem = lines(CSV, file, size).expect_err("an error");
                assert_eq!(problem.detail(), expected);
            }
        }
    }
}
