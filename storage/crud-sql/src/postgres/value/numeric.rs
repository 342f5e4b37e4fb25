//! Decimals in the protocol's form: digits of base 10,000, and the number of those before the point (`numeric_send` in
//! PostgreSQL's `numeric.c`).

use rust_decimal::Decimal;

const BASE: i128 = 10_000;
const DIGITS: u32 = 4;
const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;

/// Appends a decimal.
pub(in crate::postgres) fn write(out: &mut Vec<u8>, value: Decimal) {
    let scale = value.scale();
    // The point must fall between two digits of base 10,000. A mantissa has 96 bits, so that up to three zeros fit.
    let mut rest = value.mantissa().abs() * 10_i128.pow((DIGITS - scale % DIGITS) % DIGITS);
    let mut digits: Vec<u16> = Vec::with_capacity(8);
    while rest > 0 {
        digits.push(u16::try_from(rest % BASE).unwrap_or_default());
        rest /= BASE;
    }
    // Both numbers are at most 28.
    let count = i16::try_from(digits.len()).unwrap_or_default();
    let after = i16::try_from(scale.div_ceil(DIGITS)).unwrap_or_default();
    let weight = if digits.is_empty() { 0 } else { count - after - 1 };
    let sign = if value.is_sign_negative() && !digits.is_empty() { NEGATIVE } else { POSITIVE };
    out.extend(count.to_be_bytes());
    out.extend(weight.to_be_bytes());
    out.extend(sign.to_be_bytes());
    out.extend(u16::try_from(scale).unwrap_or_default().to_be_bytes());
    for digit in digits.into_iter().rev() {
        out.extend(digit.to_be_bytes());
    }
}

/// Reads a decimal as one with `scale` digits after the point. `None` if it has further digits, is too large for
/// [`Decimal`], or is not a number.
pub(in crate::postgres) fn read(bytes: &[u8], scale: u32) -> Option<Decimal> {
    let mut shorts = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let (count, weight, sign) = (shorts.next()?, shorts.next()?.cast_signed(), shorts.next()?);
    shorts.next()?;
    let mut mantissa: i128 = 0;
    for digit in shorts {
        mantissa = mantissa.checked_mul(BASE)?.checked_add(digit.into())?;
    }
    // Number of decimal digits of the mantissa after the point.
    let after = (i32::from(count) - 1 - i32::from(weight)) * DIGITS.cast_signed();
    let missing = scale.cast_signed() - after;
    let factor = 10_i128.checked_pow(missing.unsigned_abs());
    let mantissa = match (missing >= 0, factor) {
        _ if mantissa == 0 => 0,
        (true, factor) => mantissa.checked_mul(factor?)?,
        (false, Some(factor)) if mantissa % factor == 0 => mantissa / factor,
        (false, _) => return None,
    };
    match sign {
        POSITIVE => Decimal::try_from_i128_with_scale(mantissa, scale).ok(),
        NEGATIVE => Decimal::try_from_i128_with_scale(-mantissa, scale).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rust_decimal::Decimal;

    use super::{read, write};

    fn bytes(shorts: &[u16]) -> Vec<u8> {
        shorts.iter().flat_map(|short| short.to_be_bytes()).collect()
    }

    fn decimal(text: &str) -> Decimal {
        text.parse().expect("a decimal")
    }

    #[test]
    fn digits_are_grouped_around_the_point() {
        let written = |text| {
            let mut out = Vec::new();
            write(&mut out, decimal(text));
            out
        };
        assert_eq!(written("0.00"), bytes(&[0, 0, 0, 2]));
        assert_eq!(written("12345.6"), bytes(&[3, 1, 0, 1, 1, 2345, 6000]));
        assert_eq!(written("-0.0001"), bytes(&[1, 0xffff, 0x4000, 4, 1]));
        assert_eq!(written("100000000"), bytes(&[3, 2, 0, 0, 1, 0, 0]));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in ["0.0000", "1.5000", "-123.4500", "99999999999999.9999", "0.0001", "-10000.0000", "120000000.0000"]
        {
            let mut out = Vec::new();
            write(&mut out, decimal(text));
            assert_eq!(read(&out, 4).map(|value| value.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn the_server_leaves_zeros_away() {
        assert_eq!(read(&bytes(&[1, 2, 0, 0, 1]), 2), Some(decimal("100000000.00")));
        assert_eq!(read(&bytes(&[1, 0xffff, 0, 4, 5000]), 2), Some(decimal("0.50")));
    }

    #[test]
    fn what_the_column_cannot_have_is_none() {
        assert_eq!(read(&bytes(&[1, 0xffff, 0, 4, 1]), 2), None, "more digits");
        assert_eq!(read(&bytes(&[0, 0, 0xc000, 0]), 2), None, "not a number");
        assert_eq!(read(&bytes(&[1, 20, 0, 0, 1]), 2), None, "too large");
        assert_eq!(read(&[0, 1, 0], 2), None, "too short");
    }
}
