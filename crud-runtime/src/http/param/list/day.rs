//! Filters by a day: `starts_at__on=2026-11-28`, or in a time zone `2026-11-28[Europe/Berlin]`, with the suffix of RFC
//! 9557.

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};

use crate::model::column_error::ColumnError;
use crate::model::descriptor::{Descriptor, ZonePath};
use crate::model::text;
use crate::model::value::{Kind, Value};
use crate::query::{InSubquery, Predicate, day_bounds};
use crate::store::time_zone::{self, ZonesOfDay};

/// Maximum number of references on the way to the record with the zone: references of structs may form a circle.
const MOST_REFERENCES: usize = 8;

/// The condition that a column's time is on a day: in the zone that the text names, else in the record's zone, else in
/// UTC.
///
/// # Errors
/// When the text is not a day, or its zone is unknown.
pub(super) fn predicate(resource: &Descriptor, column: usize, text: &str) -> Result<Predicate, ColumnError> {
    let (day, zone) = parse(text)?;
    let in_utc = || day_bounds(day, &Utc);
    let has_zone = resource.columns[column].kind == Kind::DateTime;
    match (zone, resource.time_zone) {
        (Some(_), _) if !has_zone => Err(ColumnError::new("must be a day alone: the field has no time zone")),
        (_, _) if !has_zone => {
            let naive = |time: DateTime<Utc>| Value::NaiveDateTime(time.naive_utc());
            let (start, end) = in_utc();
            Ok(Predicate::within(column, naive(start), naive(end)))
        }
        (Some(zone), _) => time_zone::day(zone, day).map(|bounds| within(column, bounds)).map_err(ColumnError::new),
        (None, Some(path)) => Ok(in_zones_of_records(resource, path, column, time_zone::days(day))),
        (None, None) => Ok(within(column, in_utc())),
    }
}

/// The day, and the name of the zone.
fn parse(text: &str) -> Result<(NaiveDate, Option<&str>), ColumnError> {
    let malformed =
        || ColumnError::new("must be a day such as 2026-01-31, or 2026-01-31[Europe/Berlin] of a time zone");
    let (day, zone) = match text.split_once('[') {
        Some((day, zone)) => (day, Some(zone.strip_suffix(']').ok_or_else(malformed)?)),
        None => (text, None),
    };
    let day = text::parse_date(day).map_err(|_| malformed())?;
    // The bounds of the day have years of four digits, in any zone.
    if !(1..=9998).contains(&day.year()) {
        return Err(ColumnError::new("must be within the years 0001 to 9998"));
    }
    Ok((day, zone))
}

fn within(column: usize, (start, end): (DateTime<Utc>, DateTime<Utc>)) -> Predicate {
    Predicate::within(column, Value::DateTime(start), Value::DateTime(end))
}

/// The condition that each record's time is on the day in the record's own zone. Zones whose days have equal bounds
/// share one condition. The hours of all zones together are a range that an index on the column can find.
fn in_zones_of_records(resource: &Descriptor, path: ZonePath, column: usize, days: Vec<ZonesOfDay>) -> Predicate {
    let (first, last) = (days.iter().map(|day| day.start).min(), days.iter().map(|day| day.end).max());
    let around = first.zip(last).map_or(Predicate::All, |bounds| within(column, bounds));
    let of_zones = |day: ZonesOfDay| {
        let of_zone = zone_is(resource, path, &day.names, MOST_REFERENCES);
        of_zone.and(within(column, (day.start, day.end)))
    };
    around.and(Predicate::Or(days.into_iter().map(of_zones).collect()))
}

/// The condition that the record's zone is one of these. The zone may be another record's, which the client need not
/// see: it says when a day begins, not which records there are.
fn zone_is(resource: &Descriptor, path: ZonePath, names: &[&'static str], left: usize) -> Predicate {
    let reference = path.reference.and_then(|column| Some((column, resource.columns[column].references?)));
    let Some((column, reference)) = reference else { return one_of(path.column, names) };
    let (columns, resource) = (reference.pairs(column), (reference.target)());
    let filter = match resource.time_zone.filter(|_| path.column.is_none() && left > 0) {
        Some(path) => zone_is(resource, path, names, left - 1),
        None => one_of(path.column, names),
    };
    Predicate::InSubquery(Box::new(InSubquery { columns, resource, filter }))
}

/// The condition that a column has one of these names.
fn one_of(column: Option<usize>, names: &[&'static str]) -> Predicate {
    let Some(column) = column else { return Predicate::Or(Vec::new()) };
    let values = names.iter().map(|name| Value::Text((*name).to_owned())).collect();
    Predicate::In { column, negated: false, values }
}
