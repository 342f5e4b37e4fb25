//! The delays between attempts.

use chrono::{DateTime, TimeDelta, Utc};

/// The number of attempts.
pub(crate) const ATTEMPTS: i32 = 10;

/// The seconds between an attempt and the next: 5 s, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h, 27 h. Together, three days.
const DELAYS: [i64; ATTEMPTS as usize - 1] = [5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 97_200];

/// Longest delay that a receiver's `Retry-After` can ask for.
const LONGEST_WISH: TimeDelta = TimeDelta::days(1);

/// The time of the next attempt; `None` after the last one. The delay is extended by a jitter of up to a tenth, or to
/// the receiver's `Retry-After`, at most a day, if that is longer.
pub(crate) fn next_attempt(
    attempts: i32,
    now: DateTime<Utc>,
    wish: Option<TimeDelta>,
    jitter: f64,
) -> Option<DateTime<Utc>> {
    let index = usize::try_from(attempts).ok()?.checked_sub(1)?;
    let delay = *DELAYS.get(index)? * 1_000;
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "milliseconds of a day are small")]
    let jittered = TimeDelta::milliseconds(delay + (delay as f64 * jitter.clamp(0.0, 1.0) / 10.0) as i64);
    let wished = wish.unwrap_or_default().clamp(TimeDelta::zero(), LONGEST_WISH);
    Some(now + jittered.max(wished))
}

/// The delay in `Retry-After`, which is in seconds or a date (RFC 9110, section 10.2.3).
pub(crate) fn retry_after(text: &str, now: DateTime<Utc>) -> Option<TimeDelta> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(TimeDelta::seconds(i64::from(seconds)));
    }
    DateTime::parse_from_rfc2822(text).ok().map(|date| date.with_timezone(&Utc) - now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_attempts_take_three_days() {
        let mut now = DateTime::<Utc>::UNIX_EPOCH;
        let mut attempts = 1;
        while let Some(next) = next_attempt(attempts, now, None, 0.5) {
            assert!(next > now);
            (now, attempts) = (next, attempts + 1);
        }
        assert_eq!(attempts, ATTEMPTS);
        let days = now - DateTime::<Utc>::UNIX_EPOCH;
        assert!((TimeDelta::hours(71)..TimeDelta::hours(80)).contains(&days), "{days}");
    }

    #[test]
    fn retry_after_postpones_within_bounds() {
        let now: DateTime<Utc> = "2026-01-31T12:00:00Z".parse().unwrap();
        let after = |text: &str| next_attempt(1, now, retry_after(text, now), 0.0).unwrap() - now;
        assert_eq!(after("120"), TimeDelta::seconds(120));
        assert_eq!(after("Sat, 31 Jan 2026 12:10:00 GMT"), TimeDelta::minutes(10));
        assert_eq!(after("0"), TimeDelta::seconds(5));
        assert_eq!(after("999999999"), TimeDelta::days(1));
        assert_eq!(after("Fri, 01 Jan 2100 00:00:00 GMT"), TimeDelta::days(1));
        for text in ["-5", "soon", "", "99999999999999999999", "Sat, 31 Jan 2020 12:10:00 GMT"] {
            assert_eq!(after(text), TimeDelta::seconds(5), "{text}");
        }
    }
}
