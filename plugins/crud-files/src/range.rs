//! `Range` and `If-Range` (RFC 9110, section 14): one range of bytes.

use std::ops::Range;

/// The part of a file that a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// These bytes: 206.
    Bytes(Range<u64>),
    /// Bytes that the file does not have: 416.
    Outside,
}

/// The part that a `Range` asks for of a file of this size. Several ranges, another unit and a malformed range are
/// ignored, as the standard permits: the answer is the whole file.
pub(crate) fn part(range: &str, size: u64) -> Part {
    let Some((first, last)) = range.trim().strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Part::Whole;
    };
    let (first, last) = (first.trim(), last.trim());
    match (number(first), number(last)) {
        (None, Some(0)) if first.is_empty() => Part::Outside,
        (None, Some(suffix)) if first.is_empty() => within(size.saturating_sub(suffix), size, size),
        (Some(first), None) if last.is_empty() => within(first, size, size),
        (Some(first), Some(last)) if first <= last => within(first, last.saturating_add(1), size),
        _ => Part::Whole,
    }
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that is too large for `u64` is still a number: beyond the end of any file.
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

fn within(start: u64, end: u64, size: u64) -> Part {
    if start < size { Part::Bytes(start..end.min(size)) } else { Part::Outside }
}

#[cfg(test)]
mod tests {
    use super::{Part, part};

    #[test]
    fn range_is_of_the_bytes_that_are_there() {
        assert_eq!(part("bytes=0-0", 10), Part::Bytes(0..1));
        assert_eq!(part("bytes=4-", 10), Part::Bytes(4..10));
        assert_eq!(part("bytes=-3", 10), Part::Bytes(7..10));
        assert_eq!(part("bytes=-99", 10), Part::Bytes(0..10));
        assert_eq!(part("bytes=2-99999999999999999999999", 10), Part::Bytes(2..10));
        for outside in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(part(outside, 10), Part::Outside, "{outside}");
        }
        assert_eq!((part("bytes=0-", 0), part("bytes=-1", 0)), (Part::Outside, Part::Outside));
        for ignored in ["", "bytes", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "items=0-1", "bytes=+1-2", "bytes=a-b"] {
            assert_eq!(part(ignored, 10), Part::Whole, "{ignored}");
        }
    }

    #[test]
    fn any_text_is_a_part_within_the_file() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let length = random.usize(0..12);
            let characters = b"0123456789-,= bytes";
            let text: String = (0..length).map(|_| char::from(characters[random.usize(..characters.len())])).collect();
            let size = random.u64(0..20);
            if let Part::Bytes(bytes) = part(&format!("bytes={text}"), size) {
                assert!(bytes.start < bytes.end && bytes.end <= size, "{text}: {bytes:?} of {size}");
            }
        }
    }
}
