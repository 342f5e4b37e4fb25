//! Scalar values from text: query parameters and path segments, parsed by the column's kind.

use crud_shared::spelling;
use rust_decimal::Decimal;

use super::column_error::ColumnError;
use super::descriptor::ColumnDescriptor;
use super::text;
use super::value::{Kind, Value};

/// Reads a value of a column from text.
///
/// # Errors
/// When the text is not a value of the column's kind; the message states the legal form.
pub fn parse(column: &ColumnDescriptor, text: &str) -> Result<Value, ColumnError> {
    match column.kind {
        Kind::Bool => boolean(text).map(Value::Bool),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => integer(column.kind, text).map(Value::Int),
        Kind::F32 | Kind::F64 => float(column.kind, text).map(Value::Float),
        Kind::Text => plain_text(text).map(|()| Value::Text(text.to_owned())),
        Kind::Enum(labels) => one_of(labels, text).map(|()| Value::Text(text.to_owned())),
        Kind::DateTime => text::parse_date_time(&plus_restored(text)).map(Value::DateTime),
        Kind::Date => text::parse_date(text).map(Value::Date),
        Kind::Time => text::parse_time(text).map(Value::Time),
        Kind::NaiveDateTime => text::parse_naive_date_time(text).map(Value::NaiveDateTime),
        Kind::Uuid => text::parse_uuid(text).map(Value::Uuid),
        Kind::Decimal => decimal(column, text).map(Value::Decimal),
        Kind::Json | Kind::Bytes | Kind::TextList | Kind::List(_) => Err(ColumnError::new("cannot be compared")),
    }
}

/// Reads the text of a stored value: unlike in [`parse`], an enum may have a text that none of its variants has.
///
/// # Errors
/// Errors of [`parse`].
pub fn parse_stored(column: &ColumnDescriptor, text: &str) -> Result<Value, ColumnError> {
    match column.kind {
        Kind::Enum(_) => plain_text(text).map(|()| Value::Text(text.to_owned())),
        _ => parse(column, text),
    }
}

/// `true` or `false`.
pub fn boolean(text: &str) -> Result<bool, ColumnError> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(ColumnError::new("must be true or false")),
    }
}

/// `-?(0|[1-9][0-9]*)` within the kind's range.
pub fn integer(kind: Kind, text: &str) -> Result<i64, ColumnError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if !canonical {
        return Err(ColumnError::new("must be an integer"));
    }
    let (least, most) = kind.integer_range().unwrap_or((i64::MIN, i64::MAX));
    // From here, only the size can be wrong.
    text.parse().ok().filter(|value| (least..=most).contains(value)).ok_or_else(|| out_of_range(kind))
}

/// The error of a number outside the kind's range.
pub fn out_of_range(kind: Kind) -> ColumnError {
    ColumnError::new(match kind.integer_range() {
        Some((least, most)) => format!("must be an integer between {least} and {most}"),
        None => "must be a number that a single-precision float can hold".to_owned(),
    })
}

/// A number as JSON writes it.
fn float(kind: Kind, text: &str) -> Result<f64, ColumnError> {
    // JSON's grammar excludes NaN, infinities and `+1`; serde_json would skip white space.
    let value: f64 = Some(text)
        .filter(|text| text.bytes().all(|byte| !byte.is_ascii_whitespace()))
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| ColumnError::new("must be a number"))?;
    fit_float(kind, value)
}

/// The number that a column of this kind stores: in single precision for [`Kind::F32`], and without the sign of a
/// negative zero, which not every database keeps.
pub fn fit_float(kind: Kind, value: f64) -> Result<f64, ColumnError> {
    #[allow(clippy::cast_possible_truncation)] // The kind demands the rounding.
    let value = if kind == Kind::F32 { f64::from(value as f32) } else { value };
    if value.is_finite() { Ok(value + 0.0) } else { Err(out_of_range(kind)) }
}

/// The JSON form of a value of this kind, as the end of a sentence.
pub const fn json_form(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "must be true or false",
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => "must be an integer",
        Kind::F32 | Kind::F64 => "must be a number",
        Kind::Bytes => "must be a base64 string",
        Kind::TextList => "must be an array of strings",
        Kind::List(_) => "must be an array",
        Kind::Decimal => "must be a decimal number in a string",
        _ => "must be a string",
    }
}

/// Refuses text with NUL, which not every database can hold.
pub fn plain_text(text: &str) -> Result<(), ColumnError> {
    if text.contains('\0') { Err(ColumnError::new("must not contain a NUL character")) } else { Ok(()) }
}

/// Refuses names in a JSON value that `serde_json` reserves. An object with such a name deserializes to another
/// `serde_json::Value`.
pub fn json_name(name: &str) -> Result<(), ColumnError> {
    if name.starts_with("$serde_json::private::") {
        return Err(ColumnError::new("is a name with another meaning to JSON libraries"));
    }
    plain_text(name)
}

/// Checks that a text is one of an enum's.
pub fn one_of(labels: &[&str], text: &str) -> Result<(), ColumnError> {
    if labels.contains(&text) {
        return Ok(());
    }
    let legal = || labels.iter().copied();
    Err(ColumnError::new(format!(
        "must be one of {}{}",
        listed(legal()),
        did_you_mean(spelling::nearest(text, legal()))
    )))
}

/// A decimal number within the column's digits. Trailing zeros of the fraction are not significant.
pub fn decimal(column: &ColumnDescriptor, text: &str) -> Result<Decimal, ColumnError> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(digits) || !fraction.is_none_or(is_digits) || (digits.len() > 1 && digits.starts_with('0')) {
        return Err(ColumnError::new("must be a decimal number such as 12.50"));
    }
    let fraction = fraction.unwrap_or_default().trim_end_matches('0');
    let whole_digits = if digits == "0" { 0 } else { digits.len() };
    let (precision, scale) = (column.precision as usize, column.scale as usize);
    if fraction.len() > scale || whole_digits > precision - scale {
        return Err(ColumnError::new(format!(
            "must have at most {} digits before the point and {scale} after it",
            precision - scale
        )));
    }
    let mut canonical = format!("{whole}.{fraction:0<scale$}");
    if scale == 0 {
        canonical.pop();
    }
    let value: Decimal = canonical.parse().map_err(|_| ColumnError::new("must be a decimal number"))?;
    Ok(if value.is_zero() { value.abs() } else { value })
}

/// Restores the sign of an offset: in a query string an unescaped `+` means a space, `…T00:00:00 02:00`.
fn plus_restored(text: &str) -> String {
    match text.len().checked_sub(6).filter(|&at| text.as_bytes()[at] == b' ') {
        Some(at) => format!("{}+{}", &text[..at], &text[at + 1..]),
        None => text.to_owned(),
    }
}

/// Names as a list in a sentence: `` `a`, `b` ``.
pub fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The end of a sentence about a wrong name: what was probably meant, if anything.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_has_one_spelling() {
        for text in ["", "-", "+1", "01", "-01", "1.0", "1e3", " 1", "1 ", "0x1", "１"] {
            assert!(integer(Kind::I64, text).is_err(), "{text:?}");
        }
        assert_eq!(integer(Kind::I64, "-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(integer(Kind::I64, "-0"), Ok(0));
        assert_eq!(integer(Kind::I16, "32768").unwrap_err().message(), "must be an integer between -32768 and 32767");
        assert!(integer(Kind::U32, "-1").is_err());
    }

    #[test]
    fn a_float_is_a_json_number() {
        for text in ["NaN", "inf", "Infinity", "+1", ".5", "1.", " 1", "1e999", "0x1", ""] {
            assert!(float(Kind::F64, text).is_err(), "{text:?}");
        }
        assert_eq!(float(Kind::F64, "1e3"), Ok(1000.0));
        assert!(float(Kind::F64, "-0").unwrap().is_sign_positive());
        assert!(float(Kind::F32, "1e39").is_err());
        assert_eq!(float(Kind::F32, "0.1"), Ok(f64::from(0.1_f32)));
    }

    #[test]
    fn decimals_stay_within_their_digits() {
        let column = ColumnDescriptor::new::<Decimal>("d", "d", "\"d\":", "d").digits(6, 2);
        assert_eq!(decimal(&column, "1234.5").unwrap().to_string(), "1234.50");
        assert_eq!(decimal(&column, "-0.00").unwrap().to_string(), "0.00");
        assert_eq!(decimal(&column, "1.230000").unwrap().to_string(), "1.23");
        for text in ["12345", "1.234", "1.", ".1", "+1", "01", "1e3", "", "-", "1,5"] {
            assert!(decimal(&column, text).is_err(), "{text:?}");
        }
        let whole = ColumnDescriptor::new::<Decimal>("d", "d", "\"d\":", "d").digits(3, 0);
        assert_eq!(decimal(&whole, "12.0").unwrap().to_string(), "12");
    }

    #[test]
    fn an_unescaped_plus_in_an_offset_is_restored() {
        let column = ColumnDescriptor::new::<chrono::DateTime<chrono::Utc>>("d", "d", "\"d\":", "d");
        let value = parse(&column, "2026-01-01T00:00:00 02:00").unwrap();
        assert_eq!(value, parse(&column, "2025-12-31T22:00:00Z").unwrap());
        assert!(parse(&column, "é—é—").is_err());
    }
}
