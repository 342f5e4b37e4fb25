//! Field types of SQLite's columns, whose values can be of any type: from the declared type and the values that exist.

use std::collections::BTreeSet;

use crud_shared::catalogue::{Column, Sample};

use super::field_type::FieldType;
use super::spelling::{self, Spelling};

/// Maximum number of digits of a decimal that a floating-point number holds exactly.
const FLOAT_DIGITS: u32 = 15;

/// The field type of a column.
pub(super) fn field_type(column: &Column) -> FieldType {
    let classes: BTreeSet<&str> = column.samples.iter().map(|sample| sample.class.as_str()).collect();
    let base = column.ty.base.as_str();
    let has = |words: &[&str]| words.iter().any(|word| base.contains(word));
    let found = if base.is_empty() {
        untyped(&classes)
    } else if has(&["bool"]) {
        let is_flag = column.samples.iter().all(|sample| ["0", "1"].contains(&&*sample.text));
        if is_flag { FieldType::plain("bool") } else { by_class(&classes, FieldType::plain("i64")) }
    } else if has(&["date", "time"]) {
        time(column, base)
    } else if has(&["int"]) {
        FieldType::plain("i64")
    } else if has(&["uuid", "guid"]) {
        uuid(&column.samples)
    } else if has(&["json"]) {
        FieldType::opaque("serde_json::Value")
    } else if has(&["char", "clob", "text", "string"]) {
        FieldType::text(column.ty.length)
    } else if has(&["blob", "binary"]) {
        by_class(&classes, FieldType::opaque("Vec<u8>"))
    } else if has(&["real", "floa", "doub"]) {
        FieldType::plain("f64")
    } else if has(&["dec", "num", "money"]) {
        number(column, &classes)
    } else {
        untyped(&classes)
    };
    remarked(found, &classes)
}

/// Adds a remark where values are of other classes than the type's.
fn remarked(found: FieldType, classes: &BTreeSet<&str>) -> FieldType {
    let format = found.column.iter().find_map(|option| option.strip_prefix("format = "));
    let fitting: &[&str] = match (&*found.rust, format) {
        ("bool" | "i64", _) | (_, Some("\"unix\"" | "\"unix_millis\"")) => &["integer"],
        ("f64", _) | (_, Some("\"number\"")) => &["integer", "real"],
        ("Vec<u8>", _) | (_, Some("\"bytes\"")) => &["blob"],
        _ => &["text"],
    };
    let others: Vec<&str> = classes.iter().copied().filter(|class| !fitting.contains(class)).collect();
    if others.is_empty() || found.remark.is_some() {
        return found;
    }
    let remark =
        format!("some of its values are of the class {}, which a `{}` cannot have", others.join(", "), found.rust);
    found.remarked(remark)
}

/// The type of a column that declares none.
fn untyped(classes: &BTreeSet<&str>) -> FieldType {
    match classes.iter().copied().collect::<Vec<_>>()[..] {
        ["integer"] => FieldType::plain("i64"),
        ["real"] | ["integer", "real"] => FieldType::plain("f64"),
        ["blob"] => FieldType::opaque("Vec<u8>"),
        _ => FieldType::text(None),
    }
}

/// The type of the values, where all of them are of one class; otherwise the one that is declared.
fn by_class(classes: &BTreeSet<&str>, declared: FieldType) -> FieldType {
    if classes.len() == 1 { untyped(classes) } else { declared }
}

fn number(column: &Column, classes: &BTreeSet<&str>) -> FieldType {
    if classes.contains("text") && !classes.contains("real") && !classes.contains("integer") {
        return FieldType::text(None);
    }
    let scale = column.ty.scale.unwrap_or(0);
    let fits = |sample: &Sample| digits_after_point(&sample.text).is_some_and(|digits| digits <= scale.unsigned_abs());
    let decimal = FieldType::decimal(column.ty.precision, Some(scale));
    match decimal.filter(|_| column.ty.precision <= Some(FLOAT_DIGITS)) {
        Some(decimal) if column.samples.iter().filter(|sample| sample.class != "text").all(fits) => {
            decimal.stored(["format = \"number\"".to_owned()])
        }
        _ if classes.iter().eq(["integer"].iter()) => FieldType::plain("i64"),
        _ => FieldType::plain("f64"),
    }
}

/// The number of digits after the point of a number; `None` with an exponent.
fn digits_after_point(text: &str) -> Option<u32> {
    if text.contains(['e', 'E']) {
        return None;
    }
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction.trim_end_matches('0'));
    fraction.len().try_into().ok()
}

fn uuid(samples: &[Sample]) -> FieldType {
    let all = |is: fn(&Sample) -> bool| samples.iter().all(is);
    let is_text = |sample: &Sample, length: usize| sample.class == "text" && sample.text.len() == length;
    let is_lower = |sample: &Sample| !sample.text.contains(|letter: char| letter.is_ascii_uppercase());
    let formatted = |format: &str| FieldType::plain("Uuid").stored([format!("format = {format:?}")]);
    if samples.iter().all(|sample| is_text(sample, 36) && is_lower(sample)) {
        FieldType::plain("Uuid")
    } else if samples.iter().all(|sample| is_text(sample, 36))
        && all(|sample| !sample.text.contains(|letter: char| letter.is_ascii_lowercase()))
    {
        formatted("uppercase")
    } else if samples.iter().all(|sample| is_text(sample, 32) && is_lower(sample)) {
        formatted("simple")
    } else if all(|sample| sample.class == "blob" && sample.text == "16") {
        formatted("bytes")
    } else {
        FieldType::text(None).remarked("its values are not UUIDs in one spelling, so it is a text")
    }
}

fn time(column: &Column, base: &str) -> FieldType {
    let samples = &column.samples;
    if samples.is_empty() {
        let assumed = if base.contains("datetime") || base.contains("timestamp") {
            spelling::SECONDS
        } else if base.contains("date") {
            spelling::DATE
        } else {
            spelling::TIME
        };
        let found = of_spelling(assumed);
        return match assumed.format {
            Some(_) => found.remarked("it has no values yet: `format` is the spelling of SQLite's own functions"),
            None => found,
        };
    }
    if samples.iter().all(|sample| sample.class == "integer") {
        let counts: Vec<i64> = samples.iter().filter_map(|sample| sample.text.parse().ok()).collect();
        let all = |range: std::ops::Range<i64>| counts.iter().all(|count| range.contains(count));
        return match (all(100_000_000..20_000_000_000), all(100_000_000_000..20_000_000_000_000)) {
            (true, _) => FieldType::plain("DateTime<Utc>").stored(["format = \"unix\"".to_owned()]),
            (_, true) => FieldType::plain("DateTime<Utc>").stored(["format = \"unix_millis\"".to_owned()]),
            _ => FieldType::plain("i64"),
        };
    }
    if samples.iter().all(|sample| ["integer", "real"].contains(&&*sample.class)) {
        return FieldType::plain("f64");
    }
    let texts: Vec<&str> = samples.iter().map(|sample| sample.text.as_str()).collect();
    let only_text = samples.iter().all(|sample| sample.class == "text");
    match spelling::of_texts(&texts).filter(|_| only_text) {
        Some(found) => of_spelling(found),
        None => FieldType::text(None).remarked("its values are not in one spelling of dates or times, so it is a text"),
    }
}

fn of_spelling(spelling: Spelling) -> FieldType {
    let format = spelling.format.map(|pattern| format!("format = {pattern:?}"));
    FieldType::plain(spelling.rust).stored(format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crud_shared::catalogue::ColumnType;
    use crud_shared::declared::Declared;

    fn of(declared: &str, samples: &[(&str, &str)]) -> (String, Vec<String>) {
        let Declared { base, numbers, .. } = Declared::of(declared);
        let number = |index: usize| numbers.get(index).copied();
        let ty = ColumnType {
            declared: declared.to_owned(),
            base,
            precision: number(0),
            scale: number(1).and_then(|scale| i32::try_from(scale).ok()),
            ..ColumnType::default()
        };
        let sample = |(class, text): &(&str, &str)| Sample { class: (*class).to_owned(), text: (*text).to_owned() };
        let found = field_type(&Column { ty, samples: samples.iter().map(sample).collect(), ..Column::default() });
        (found.rust, [found.attributes, found.column].concat())
    }

    fn format(declared: &str, samples: &[(&str, &str)]) -> String {
        let (rust, attributes) = of(declared, samples);
        [vec![rust], attributes].concat().join(" ")
    }

    #[test]
    fn dates_have_the_spelling_of_the_values_that_are_there() {
        let text = |texts: &[&'static str]| texts.iter().map(|text| ("text", *text)).collect::<Vec<_>>();
        let seconds = "NaiveDateTime format = \"%Y-%m-%d %H:%M:%S\"";
        assert_eq!(format("DATETIME", &text(&["2021-01-01 00:00:00", "2021-12-31 23:59:59"])), seconds);
        assert_eq!(format("DATETIME", &[]), seconds);
        assert_eq!(format("DATE", &text(&["2021-01-01"])), "NaiveDate");
        assert_eq!(format("TIMESTAMP", &[("integer", "1600000000")]), "DateTime<Utc> format = \"unix\"");
        assert_eq!(format("TIMESTAMP", &[("integer", "1600000000000")]), "DateTime<Utc> format = \"unix_millis\"");
        assert_eq!(format("DATETIME", &text(&["2021-01-01", "1/1/2021"])), "String");
    }

    #[test]
    fn a_number_is_a_decimal_where_its_digits_are_declared_and_kept() {
        let decimal = "Decimal decimal(10, 2) format = \"number\"";
        assert_eq!(format("NUMERIC(10,2)", &[("real", "0.99"), ("integer", "5")]), decimal);
        assert_eq!(format("NUMERIC(10,2)", &[("real", "0.999")]), "f64");
        assert_eq!(format("NUMERIC", &[("integer", "5")]), "i64");
        assert_eq!(format("DECIMAL(10,2)", &[("text", "0.99")]), "String");
    }

    #[test]
    fn uuids_have_the_spelling_of_the_values_that_are_there() {
        let lower = "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f";
        assert_eq!(format("UUID", &[("text", lower)]), "Uuid");
        let upper = "0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F";
        assert_eq!(format("GUID", &[("text", upper)]), "Uuid format = \"uppercase\"");
        assert_eq!(format("UUID", &[("blob", "16")]), "Uuid format = \"bytes\"");
        assert_eq!(format("UUID", &[("text", lower), ("text", upper)]), "String");
    }

    #[test]
    fn a_column_without_a_type_has_that_of_its_values() {
        assert_eq!(format("", &[("integer", "5")]), "i64");
        assert_eq!(format("", &[("integer", "5"), ("real", "0.5")]), "f64");
        assert_eq!(format("", &[]), "String");
        assert_eq!(format("BOOLEAN", &[("integer", "0")]), "bool");
        assert_eq!(format("BOOLEAN", &[("text", "t")]), "String");
    }
}
