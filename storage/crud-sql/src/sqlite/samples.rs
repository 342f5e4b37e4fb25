//! Samples of stored values: the spelling of dates, times and UUIDs in a table that another program fills.
//!
//! A value in another spelling can be read, but filters do not find it, and texts of two spellings do not sort like
//! their values. So such a column is refused, and the error names the `format` that its field needs.

use super::canonical;
use super::catalogue::rows::{Names, cells};
use crate::catalogue::by_place::by_place;
use crate::driver::Connection;
use crate::identifier::identifier;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, StoredFormat};
use crate::model::value::{Kind, ValueRef};
use crate::schema::driver::SchemaDriver;
use crate::sqlite::argument::Argument;
use crate::statement::Text;

/// Number of records in a column's sample.
const RECORDS: usize = 1_000;

/// Number of columns that one statement samples; SQLite joins at most 500.
const COLUMNS_AT_ONCE: usize = 250;

/// The most common patterns of dates with times.
const INSTANTS: [&str; 14] = [
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S%.6f",
    "%Y-%m-%d %H:%M:%S%.3f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%dT%H:%M:%S%.3f",
    "%Y-%m-%dT%H:%M:%S%.3fZ",
    "%Y-%m-%dT%H:%M:%S%.6f",
    "%Y-%m-%dT%H:%M:%S%.6fZ",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S+00:00",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
];

/// Whole numbers with up to ten digits (the years 1653 to 2286) are taken as seconds, longer ones as milliseconds.
const SECONDS: std::ops::RangeInclusive<i64> = -9_999_999_999..=9_999_999_999;

/// A stored value: its storage class, and its text.
struct Sample {
    class: String,
    text: String,
}

/// Describes columns whose values are spelt differently than their fields say, with a line for each.
pub(super) async fn misspelt<D: SchemaDriver<Argument = Argument>>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, D::Error> {
    const COLUMNS: &str = "SELECT n.key, c.name FROM json_each(?1) n JOIN pragma_table_xinfo(n.value, 'main') c";
    let tables = resources.iter().copied().filter(|resource| resource.view.is_none());
    let tables: Vec<&'static Descriptor> = tables.filter(|table| spelt(table).next().is_some()).collect();
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = tables.iter().map(|table| table.table).collect();
    let present = Names::of(&names).rows::<D, _>(connection, COLUMNS, |row| row.text(1)).await?;
    let sampled = tables.into_iter().zip(present).flat_map(|(table, present)| {
        let is_there =
            move |column: &&ColumnDescriptor| present.iter().any(|name| name.eq_ignore_ascii_case(column.column));
        spelt(table).filter(is_there).map(move |column| (table, column))
    });
    let sampled: Vec<_> = sampled.collect();
    let mut lines = Vec::new();
    for sampled in sampled.chunks(COLUMNS_AT_ONCE) {
        for ((table, column), samples) in sampled.iter().zip(samples::<D>(connection, sampled).await?) {
            let problem = problem(column, &samples);
            lines.extend(problem.map(|line| format!("table `{}`, column `{}`: {line}", table.table, column.column)));
        }
    }
    Ok(lines)
}

/// The columns of a table whose kinds have several spellings.
fn spelt(table: &'static Descriptor) -> impl Iterator<Item = &'static ColumnDescriptor> {
    table.columns.iter().filter(|column| column.is_stored() && has_spellings(column))
}

const fn has_spellings(column: &ColumnDescriptor) -> bool {
    matches!(column.kind, Kind::DateTime | Kind::NaiveDateTime | Kind::Date | Kind::Time | Kind::Uuid | Kind::Decimal)
}

/// The samples of these columns, in the order of the columns.
async fn samples<D: SchemaDriver<Argument = Argument>>(
    connection: &mut Connection<D>,
    columns: &[(&'static Descriptor, &'static ColumnDescriptor)],
) -> Result<Vec<Vec<Sample>>, D::Error> {
    let sample = |(place, (table, column)): (usize, &(&'static Descriptor, &'static ColumnDescriptor))| {
        let (table, name) = (identifier::<D>(table.table), identifier::<D>(column.column));
        format!(
            "SELECT DISTINCT {place}, typeof({name}), \
             CASE typeof({name}) WHEN 'blob' THEN hex({name}) ELSE CAST({name} AS TEXT) END \
             FROM (SELECT {name} FROM {table} NOT INDEXED LIMIT {RECORDS}) WHERE {name} IS NOT NULL"
        )
    };
    let text = columns.iter().enumerate().map(sample).collect::<Vec<_>>().join(" UNION ALL ");
    let placed = cells::<D, _>(connection, Text::Assembled(text), None, |row| {
        (usize::try_from(row.number(0)).unwrap_or(usize::MAX), Sample { class: row.text(1), text: row.text(2) })
    });
    Ok(by_place(columns.len(), placed.await?))
}

/// The reason to refuse a column with these values, if there is one.
fn problem(column: &ColumnDescriptor, samples: &[Sample]) -> Option<String> {
    let candidates = candidates(column.kind);
    let reads = |format: Option<StoredFormat>, sample: &Sample| is_spelt(column.kind, format, sample);
    // Values in no known spelling are ignored: they cannot be read, but do not affect other values.
    let known =
        |sample: &&Sample| reads(column.format, sample) || candidates.iter().any(|format| reads(Some(*format), sample));
    let known: Vec<&Sample> = samples.iter().filter(known).collect();
    let other = known.iter().find(|sample| !reads(column.format, sample))?;
    let readers = std::iter::once(None).chain(candidates.iter().copied().map(Some));
    let Some(format) = readers.into_iter().find(|format| known.iter().all(|sample| reads(*format, sample))) else {
        let first = known.iter().find(|sample| reads(column.format, sample)).or(known.first())?;
        let (one, other) = (&first.text, known.iter().find(|sample| sample.text != first.text).unwrap_or(other));
        return Some(format!(
            "holds `{one}` and `{}`, which no `format` reads both: give its values one spelling",
            other.text
        ));
    };
    let form = match format {
        Some(format) => format!("`#[crud(column(format = {:?}))]`", format.name()),
        None => "its field without `format`".to_owned(),
    };
    Some(format!("holds `{}`, which {form} reads, writes and compares", other.text))
}

/// The formats that values of a kind may be in.
fn candidates(kind: Kind) -> Vec<StoredFormat> {
    match kind {
        Kind::DateTime | Kind::NaiveDateTime => {
            let patterns = INSTANTS.into_iter().map(StoredFormat::Pattern);
            patterns.chain([StoredFormat::Unix, StoredFormat::UnixMillis]).collect()
        }
        Kind::Date => vec![StoredFormat::Pattern("%Y%m%d"), StoredFormat::Pattern("%Y/%m/%d")],
        Kind::Time => ["%H:%M:%S", "%H:%M", "%H:%M:%S%.3f", "%H:%M:%S%.f"].map(StoredFormat::Pattern).to_vec(),
        Kind::Uuid => vec![StoredFormat::Uppercase, StoredFormat::Simple, StoredFormat::Bytes],
        Kind::Decimal => vec![StoredFormat::Number],
        _ => Vec::new(),
    }
}

/// Whether a value is in the spelling of a format; without a format, in the canonical one.
fn is_spelt(kind: Kind, format: Option<StoredFormat>, sample: &Sample) -> bool {
    let Sample { class, text } = sample;
    let number = || text.parse::<i64>().ok().filter(|_| class == "integer");
    match format {
        None if kind == Kind::Decimal => class == "integer",
        None => class == "text" && matches!(canonical::value(kind, text), Ok(ValueRef::Canonical(_))),
        Some(StoredFormat::Pattern(pattern)) => class == "text" && StoredFormat::read(pattern, kind, text).is_some(),
        Some(StoredFormat::Unix) => number().is_some_and(|number| SECONDS.contains(&number)),
        Some(StoredFormat::UnixMillis) => number().is_some(),
        Some(StoredFormat::Lowercase) => class == "text" && is_hyphenated(text, |digit| !digit.is_ascii_uppercase()),
        Some(StoredFormat::Uppercase) => class == "text" && is_hyphenated(text, |digit| !digit.is_ascii_lowercase()),
        Some(StoredFormat::Simple) => {
            class == "text" && text.len() == 32 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
        }
        Some(StoredFormat::Bytes) => class == "blob" && text.len() == 32,
        // A column with numeric affinity stores whole numbers as integers.
        Some(StoredFormat::Number) => matches!(class.as_str(), "real" | "integer"),
    }
}

fn is_hyphenated(text: &str, is_of_case: impl Fn(char) -> bool) -> bool {
    text.len() == 36 && uuid::Uuid::try_parse(text).is_ok() && text.chars().all(is_of_case)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, NaiveDateTime, Utc};
    use uuid::Uuid;

    use super::*;
    use crate::model::column::Column;

    fn found<T: Column>(format: Option<StoredFormat>, samples: &[(&str, &str)]) -> Option<String> {
        let mut column = T::TYPE.column("c", "");
        column.format = format;
        let sample = |(class, text): &(&str, &str)| Sample { class: (*class).to_owned(), text: (*text).to_owned() };
        problem(&column, &samples.iter().map(sample).collect::<Vec<_>>())
    }

    #[test]
    fn format_that_reads_every_value_is_named() {
        let reads = |value: &str, format: &str| {
            Some(format!("holds `{value}`, which `#[crud(column(format = {format:?}))]` reads, writes and compares"))
        };
        let seconds = [("text", "2021-01-01 00:00:00"), ("text", "2021-12-31 23:59:59")];
        assert_eq!(found::<NaiveDateTime>(None, &seconds), reads("2021-01-01 00:00:00", "%Y-%m-%d %H:%M:%S"));
        assert_eq!(found::<NaiveDateTime>(Some(StoredFormat::Pattern("%Y-%m-%d %H:%M:%S")), &seconds), None);
        let mixed = [("text", "2021-01-01 00:00:00"), ("text", "2021-12-31 23:59:59.500000")];
        assert_eq!(found::<DateTime<Utc>>(None, &mixed), reads("2021-01-01 00:00:00", "%Y-%m-%d %H:%M:%S%.f"));
        assert_eq!(found::<DateTime<Utc>>(None, &[("integer", "1609459200")]), reads("1609459200", "unix"));
        assert_eq!(
            found::<DateTime<Utc>>(None, &[("integer", "1609459200000")]),
            reads("1609459200000", "unix_millis")
        );
        let upper = "0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F";
        assert_eq!(found::<Uuid>(None, &[("text", upper)]), reads(upper, "uppercase"));
        assert_eq!(found::<rust_decimal::Decimal>(None, &[("real", "0.99")]), reads("0.99", "number"));
    }

    #[test]
    fn values_of_our_own_spelling_and_those_of_none_are_no_problem() {
        let ours = [("text", "2021-01-01T00:00:00.000000Z"), ("text", "n/a")];
        assert_eq!(found::<DateTime<Utc>>(None, &ours), None);
        assert_eq!(found::<DateTime<Utc>>(None, &[]), None);
    }

    #[test]
    fn two_spellings_that_no_format_reads_are_named() {
        let two = [("text", "2021-01-01T00:00:00.000000Z"), ("integer", "1609459200")];
        let line = found::<DateTime<Utc>>(None, &two).expect("a problem");
        assert!(line.starts_with("holds `2021-01-01T00:00:00.000000Z` and `1609459200`"), "{line}");
    }
}
