//! The form of stored values: `sql_type` and `format`.

use crud_shared::dialect::is_type_name;

use super::types::Requirements;
use crate::attr::Spanned;
use crate::attr::field::FieldAttributes;
use crate::ctxt::Ctxt;
use crate::model::{Field, Format, Requirement, Role};
use crate::ty::{FieldType, Known};

/// The items of a pattern in their only legal order, in which texts sort as the values do.
const ITEMS: [&str; 9] = ["%Y", "%m", "%d", "%H", "%M", "%S", "%.3f", "%.6f", "%.f"];

/// The position of the first item of a date, of a time of day, and of a fraction.
const DATE: usize = 0;
const TIME: usize = 3;
const FRACTION: usize = 6;

const EXPECTED_PATTERN: &str = "expected a pattern of `%Y`, `%m`, `%d`, `%H`, `%M`, `%S` and a fraction (`%.3f`, `%.6f`, \
                                or `%.f` at the end) in this order, in which texts sort as their values do";

/// The format of a field.
pub(super) fn format(attributes: &FieldAttributes, ty: FieldType<'_>, cx: &Ctxt) -> Option<Format> {
    let written = attributes.format.as_ref()?;
    let report = |message: String| {
        cx.error(written.span, message);
        None
    };
    let needs = |is_met: bool, name: &str, format: Format| {
        let expected = format!("`column(format = {:?})` needs a field of type {name}", written.value);
        if is_met { Some(format) } else { report(expected) }
    };
    let is_instant = matches!(ty.known, Some(Known::DateTime | Known::NaiveDateTime));
    let is_uuid = ty.known == Some(Known::Uuid);
    match written.value.as_str() {
        "unix" => needs(is_instant, "`DateTime<Utc>` or `NaiveDateTime`", Format::Unix),
        "unix_millis" => needs(is_instant, "`DateTime<Utc>` or `NaiveDateTime`", Format::UnixMillis),
        "lowercase" => needs(is_uuid, "`Uuid`", Format::Lowercase),
        "uppercase" => needs(is_uuid, "`Uuid`", Format::Uppercase),
        "simple" => needs(is_uuid, "`Uuid`", Format::Simple),
        "bytes" => needs(is_uuid, "`Uuid`", Format::Bytes),
        "number" => needs(ty.known == Some(Known::Decimal), "`Decimal`", Format::Number),
        pattern if pattern.contains('%') => match (ty.known, items(pattern)) {
            (Some(Known::DateTime | Known::NaiveDateTime), Some(items)) if is_of_instant(&items) => {
                Some(Format::Pattern(written.value.clone()))
            }
            (Some(Known::Date), Some(items)) if items == [DATE, DATE + 1, DATE + 2] => {
                Some(Format::Pattern(written.value.clone()))
            }
            (Some(Known::Time), Some(items)) if items.starts_with(&[TIME, TIME + 1]) && is_of_time(&items) => {
                Some(Format::Pattern(written.value.clone()))
            }
            (Some(Known::DateTime | Known::NaiveDateTime | Known::Date | Known::Time), _) => {
                report(EXPECTED_PATTERN.to_owned())
            }
            _ => report("a pattern needs a field of a date or a time".to_owned()),
        },
        _ => report(
            "expected a pattern such as `\"%Y-%m-%d %H:%M:%S\"`, or one of `unix`, `unix_millis`, `lowercase`, \
             `uppercase`, `simple`, `bytes`, `number`"
                .to_owned(),
        ),
    }
}

/// The items of a pattern by their positions; `None` where one is unknown or out of order.
fn items(pattern: &str) -> Option<Vec<usize>> {
    let mut found: Vec<usize> = Vec::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        rest = &rest[at..];
        let position = ITEMS.iter().position(|item| rest.starts_with(item))?;
        let is_after = found.last().is_none_or(|last| *last < position && *last < FRACTION);
        rest = &rest[ITEMS[position].len()..];
        let is_last = ITEMS[position] != "%.f" || rest.is_empty();
        if !is_after || !is_last {
            return None;
        }
        found.push(position);
    }
    Some(found)
}

/// Whether the items are a date, or a date and the beginning of a time of day.
fn is_of_instant(items: &[usize]) -> bool {
    items.starts_with(&[DATE, DATE + 1, DATE + 2]) && is_of_time(&items[TIME..])
}

/// Whether no item of a time of day is left out before another one.
fn is_of_time(items: &[usize]) -> bool {
    let whole = items.iter().filter(|item| **item < FRACTION).count();
    items[..whole].iter().copied().eq(TIME..TIME + whole) && (items.len() == whole || whole == FRACTION - TIME)
}

/// Checks the type that a column has by `sql_type`.
pub(super) fn sql_type(attributes: &FieldAttributes, cx: &Ctxt) -> Option<Spanned<String>> {
    let written = attributes.sql_type.clone()?;
    if !is_type_name(&written.value) {
        cx.error(written.span, "expected the name of a type, such as `column(sql_type = \"inet\")`");
        return None;
    }
    Some(written)
}

/// Checks that `sql_type` is on a field whose values can be read from text.
pub(super) fn check(requirements: &mut Requirements<'_, '_>) {
    let fields: &[Field<'_>] = requirements.fields;
    for (index, field) in fields.iter().enumerate() {
        let Some(sql_type) = &field.sql_type else { continue };
        if field.role == Role::IsDeleted {
            requirements.cx.error(sql_type.span, "this field has no column: remove `sql_type`");
        } else if field.ty.known.is_none() {
            let message = "`sql_type` on a type of the program needs one that is stored as text".to_owned();
            requirements.require(index, Requirement::TextChoice, sql_type.span, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_of_instant, is_of_time, items};

    #[test]
    fn items_of_a_pattern_are_in_the_order_of_their_size() {
        let is_instant = |pattern| items(pattern).is_some_and(|items| is_of_instant(&items));
        for pattern in [
            "%Y-%m-%d %H:%M:%S",
            "%Y-%m-%d",
            "%Y-%m-%dT%H:%M",
            "%Y%m%d%H%M%S",
            "%Y-%m-%d %H:%M:%S%.f",
            "%Y-%m-%d %H:%M:%S%.3fZ",
        ] {
            assert!(is_instant(pattern), "{pattern}");
        }
        for pattern in [
            "%d.%m.%Y",
            "%Y-%m",
            "%Y-%m-%d %S",
            "%Y-%m-%d %H:%M:%S%.fZ",
            "%Y-%m-%d %H:%M%.3f",
            "%Y-%m-%d %H:%M:%S%.3f%.6f",
            "%F %T",
            "%Y-%m-%d %",
        ] {
            assert!(!is_instant(pattern), "{pattern}");
        }
        assert!(is_of_time(&items("%H:%M").expect("known items")));
        assert!(!is_of_time(&items("%M:%S").expect("known items")));
    }
}
