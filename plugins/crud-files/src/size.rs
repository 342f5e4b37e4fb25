//! Sizes as text, such as `10MB`.

/// The bytes of a size: a number with `B`, `KB`, `MB`, `GB`, `TB` (powers of 1,000) or `KiB`, `MiB`, `GiB`, `TiB`
/// (powers of 1,024). `None` for another text.
pub(crate) const fn parse(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let mut number: u64 = 0;
    let mut digits = 0;
    while digits < bytes.len() && bytes[digits].is_ascii_digit() {
        let Some(tenfold) = number.checked_mul(10) else { return None };
        let Some(sum) = tenfold.checked_add((bytes[digits] - b'0') as u64) else { return None };
        number = sum;
        digits += 1;
    }
    let Some(unit) = unit(bytes, digits) else { return None };
    if digits == 0 || number == 0 { None } else { number.checked_mul(unit) }
}

const fn unit(bytes: &[u8], from: usize) -> Option<u64> {
    match *bytes.split_at(from).1 {
        [b'B'] => Some(1),
        [prefix, b'B'] => power(prefix, 1000),
        [prefix, b'i', b'B'] => power(prefix, 1024),
        _ => None,
    }
}

const fn power(prefix: u8, base: u64) -> Option<u64> {
    match prefix {
        b'K' => Some(base),
        b'M' => Some(base.pow(2)),
        b'G' => Some(base.pow(3)),
        b'T' => Some(base.pow(4)),
        _ => None,
    }
}

/// A number of bytes as text for people, such as `10 MB`.
pub(crate) fn words(bytes: u64) -> String {
    const UNITS: [(u64, &str); 6] =
        [(1 << 30, "GiB"), (1_000_000_000, "GB"), (1 << 20, "MiB"), (1_000_000, "MB"), (1 << 10, "KiB"), (1000, "KB")];
    let whole = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{bytes} bytes"), |(unit, name)| format!("{} {name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::{parse, words};

    #[test]
    fn size_is_a_number_with_a_unit() {
        let sizes = ["1B", "10KB", "10MB", "2GiB", "1TiB"].map(parse);
        assert_eq!(sizes, [Some(1), Some(10_000), Some(10_000_000), Some(2 << 30), Some(1 << 40)]);
        for wrong in ["", "10", "MB", "0MB", "10XB", "10mb", "1.5MB", "10 MB", "99999999999TB", "10MBB"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn bytes_are_written_in_the_unit_that_divides_them() {
        assert_eq!([10_000_000, 1 << 20, 1001].map(words), ["10 MB", "1 MiB", "1001 bytes"]);
    }
}
