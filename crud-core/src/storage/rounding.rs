//! Values rounded down to the precision of columns, and whether they stay the same.

use chrono::{NaiveTime, Timelike};
use {
    chrono::{NaiveDate, NaiveDateTime, TimeDelta},
    rust_decimal::RoundingStrategy,
};

use rust_decimal::Decimal;

/// The decimal as a number of its smallest units, at this many digits after the point.
pub fn units(value: Decimal, scale: u32) -> (i64, bool) {
    let mantissa = value.mantissa();
    let units = match scale.checked_sub(value.scale()) {
        Some(more) => 10_i128.checked_pow(more).and_then(|factor| mantissa.checked_mul(factor)).map(|v| (v, true)),
        None => 10_i128
            .checked_pow(value.scale() - scale)
            .map(|divisor| (mantissa.div_euclid(divisor), mantissa.rem_euclid(divisor) == 0)),
    };
    match units.and_then(|(units, exact)| Some((i64::try_from(units).ok()?, exact))) {
        Some(units) => units,
        None if value.is_sign_negative() => (i64::MIN, false),
        None => (i64::MAX, false),
    }
}

/// The decimal with this many digits after the point.
pub fn decimal(value: Decimal, scale: u32) -> (Decimal, bool) {
    let stored = value.round_dp_with_strategy(scale, RoundingStrategy::ToNegativeInfinity);
    (stored, stored == value)
}

/// The date and time to the microsecond, within the years that have a canonical text. An earlier one becomes `before`,
/// which no record has.
pub fn instant(value: NaiveDateTime, before: NaiveDate) -> (NaiveDateTime, bool) {
    let first = NaiveDate::from_ymd_opt(0, 1, 1).unwrap_or_default();
    let last = NaiveDate::from_ymd_opt(9999, 12, 31).unwrap_or_default();
    if value.date() < first {
        return (before.and_time(NaiveTime::MIN), false);
    }
    if value.date() > last {
        return (last.and_time(microseconds(NaiveTime::MIN - TimeDelta::nanoseconds(1)).0), false);
    }
    let (time, exact) = microseconds(value.time());
    (value.date().and_time(time), exact)
}

/// The time truncated to a microsecond. A leap second becomes the last microsecond before it.
pub fn microseconds(time: NaiveTime) -> (NaiveTime, bool) {
    let nanoseconds = time.nanosecond().min(999_999_999) / 1_000 * 1_000;
    (time.with_nanosecond(nanoseconds).unwrap_or(time), nanoseconds == time.nanosecond())
}
