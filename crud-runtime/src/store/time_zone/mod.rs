//! Time zones: the offsets of a zone while records have their times, for aggregates; the bounds of its days, for filters.

#[cfg(feature = "time-zones")]
pub(crate) mod column;

use chrono::{DateTime, Utc};

pub(crate) use self::zones::{check, day, days, resolve};

/// The time zones in which a day has these bounds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ZonesOfDay {
    pub(crate) start: DateTime<Utc>,
    pub(crate) end: DateTime<Utc>,
    pub(crate) names: Vec<&'static str>,
}

#[cfg(not(feature = "time-zones"))]
mod zones {
    use std::future::{Ready, ready};

    use chrono::{DateTime, NaiveDate, Utc};

    use super::ZonesOfDay;
    use crate::model::adapter_error::AdapterError;
    use crate::model::descriptor::Descriptor;
    use crate::query::AggregateQuery;
    use crate::storage::adapter::Adapter;

    /// Refuses any time zone.
    pub(crate) fn check(name: &str) -> Result<(), String> {
        Err(format!("`{name}` is not known: this service is built without crud-runtime's feature `time-zones`"))
    }

    /// Refuses any time zone.
    pub(crate) fn day(name: &str, _: NaiveDate) -> Result<(DateTime<Utc>, DateTime<Utc>), String> {
        check(name).map(|()| (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MIN_UTC))
    }

    /// Empty: no record has a time zone.
    pub(crate) const fn days(_: NaiveDate) -> Vec<ZonesOfDay> {
        Vec::new()
    }

    /// Does nothing: no query has a time zone.
    pub(crate) fn resolve(
        _: &dyn Adapter,
        _: &'static Descriptor,
        _: &mut AggregateQuery,
    ) -> Ready<Result<(), AdapterError>> {
        ready(Ok(()))
    }
}

#[cfg(feature = "time-zones")]
mod zones {
    use std::collections::BTreeMap;

    use chrono::{DateTime, Datelike as _, NaiveDate, Offset as _, TimeDelta, TimeZone as _, Utc};
    use chrono_tz::{TZ_VARIANTS, Tz};
    use crud_shared::spelling;

    use super::ZonesOfDay;
    use crate::model::adapter_error::AdapterError;
    use crate::model::descriptor::Descriptor;
    use crate::model::value::{Kind, Value};
    use crate::query::{AggregateQuery, Function, Measure, Offsets, day_bounds};
    use crate::storage::adapter::Adapter;

    /// Refusal of a name that is not a time zone's.
    pub(crate) fn check(name: &str) -> Result<(), String> {
        parse(name).map(drop)
    }

    /// Finds the offsets of a query's time zone. Its name is [checked](check) before.
    ///
    /// # Errors
    /// When the earliest and the latest time of the records cannot be read.
    pub(crate) async fn resolve(
        adapter: &dyn Adapter,
        resource: &'static Descriptor,
        query: &mut AggregateQuery,
    ) -> Result<(), AdapterError> {
        if let Some(zone) = query.zone.as_deref().and_then(|name| parse(name).ok())
            && let Some((earliest, latest)) = extent(adapter, resource, query).await?
        {
            query.offsets = offsets(zone, earliest, latest);
        }
        Ok(())
    }

    /// The bounds of a day in the zone of a name.
    pub(crate) fn day(name: &str, day: NaiveDate) -> Result<(DateTime<Utc>, DateTime<Utc>), String> {
        Ok(day_bounds(day, &parse(name)?))
    }

    /// All time zones by the bounds of a day: some 40 of 600.
    pub(crate) fn days(day: NaiveDate) -> Vec<ZonesOfDay> {
        let mut zones: BTreeMap<_, Vec<&'static str>> = BTreeMap::new();
        for zone in TZ_VARIANTS {
            zones.entry(day_bounds(day, &zone)).or_default().push(zone.name());
        }
        zones.into_iter().map(|((start, end), names)| ZonesOfDay { start, end, names }).collect()
    }

    /// The time zone of a name.
    pub(super) fn parse(name: &str) -> Result<Tz, String> {
        name.parse().map_err(|_| {
            let nearest = spelling::nearest(name, TZ_VARIANTS.iter().map(|zone| zone.name()));
            let hint = nearest.map_or_else(String::new, |zone| format!("; did you mean `{zone}`?"));
            format!("`{name}` is not a time zone of the IANA database such as `Europe/Berlin`{hint}")
        })
    }

    /// The earliest and the latest time by which records are grouped.
    async fn extent(
        adapter: &dyn Adapter,
        resource: &'static Descriptor,
        query: &AggregateQuery,
    ) -> Result<Option<(DateTime<Utc>, DateTime<Utc>)>, AdapterError> {
        let spans = query.group_by.iter().filter(|key| key.bucket.is_some()).map(|key| key.column);
        let times = spans.filter(|column| resource.columns[*column].kind == Kind::DateTime);
        let mut extremes = AggregateQuery::new(query.filter.clone(), 1);
        for column in times {
            extremes =
                extremes.measure(Measure::new(Function::Min, column)).measure(Measure::new(Function::Max, column));
        }
        if extremes.measures.is_empty() {
            return Ok(None);
        }
        let groups = adapter.aggregate(resource, &extremes).await?;
        let values = groups.into_iter().flat_map(|group| group.measures);
        let times = values.filter_map(|value| if let Value::DateTime(time) = value { Some(time) } else { None });
        Ok(times.fold(None, |extent: Option<(DateTime<Utc>, DateTime<Utc>)>, time| {
            Some(extent.map_or((time, time), |(earliest, latest)| (earliest.min(time), latest.max(time))))
        }))
    }

    /// The offsets of a zone between two times, and some days around them, for records that are created meanwhile.
    fn offsets(zone: Tz, earliest: DateTime<Utc>, latest: DateTime<Utc>) -> Offsets {
        const DAY: TimeDelta = TimeDelta::days(1);
        let seconds = |time: DateTime<Utc>| zone.offset_from_utc_datetime(&time.naive_utc()).fix().local_minus_utc();
        // Zones had no offsets before 1800, and none is known to change after 2200.
        let bounded = |time: DateTime<Utc>| match time.year() {
            ..1800 => DateTime::UNIX_EPOCH - TimeDelta::days(170 * 365),
            2200.. => DateTime::UNIX_EPOCH + TimeDelta::days(230 * 365),
            _ => time,
        };
        let (mut time, end) = (bounded(earliest) - DAY * 400, bounded(latest) + DAY * 400);
        let mut offsets = Offsets::new(seconds(time));
        while time < end {
            let next = time + DAY;
            let (before, after) = (seconds(time), seconds(next));
            if before != after {
                let change = change_between(time, next, |time| seconds(time) == before);
                offsets = offsets.then(change, after);
            }
            time = next;
        }
        offsets
    }

    /// The first second in an interval at which `holds` is no longer true.
    fn change_between(
        mut before: DateTime<Utc>,
        mut after: DateTime<Utc>,
        holds: impl Fn(DateTime<Utc>) -> bool,
    ) -> DateTime<Utc> {
        let whole = |time: DateTime<Utc>| DateTime::from_timestamp(time.timestamp(), 0).unwrap_or(time);
        (before, after) = (whole(before), whole(after));
        while (after - before).num_seconds() > 1 {
            let middle = before + TimeDelta::seconds((after - before).num_seconds() / 2);
            if holds(middle) { before = middle } else { after = middle }
        }
        after
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn time(text: &str) -> DateTime<Utc> {
            text.parse().unwrap()
        }

        #[test]
        fn offsets_change_when_clocks_do() {
            let of_2026 = offsets(Tz::Europe__Berlin, time("2026-06-01T00:00:00Z"), time("2026-06-02T00:00:00.5Z"));
            let changes: Vec<_> = of_2026.earlier().iter().map(|(time, before)| (time.to_rfc3339(), *before)).collect();
            let expected = [
                ("2025-10-26T01:00:00+00:00", 7_200),
                ("2026-03-29T01:00:00+00:00", 3_600),
                ("2026-10-25T01:00:00+00:00", 7_200),
                ("2027-03-28T01:00:00+00:00", 3_600),
            ];
            assert_eq!(changes, expected.map(|(time, before)| (time.to_owned(), before)));
            assert_eq!(of_2026.last(), 7_200);
        }

        #[test]
        fn offsets_of_all_times_are_found_in_bounds() {
            let all = offsets(Tz::Africa__Casablanca, DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC);
            for text in ["1700-01-01T00:00:00Z", "1950-06-11T02:00:00Z", "2026-03-01T12:00:00Z", "2500-01-01T00:00:00Z"]
            {
                let time = time(text);
                let zone = Tz::Africa__Casablanca.offset_from_utc_datetime(&time.naive_utc()).fix().local_minus_utc();
                assert_eq!((all.local(time) - time.naive_utc()).num_seconds(), i64::from(zone), "{text}");
            }
        }
    }
}
