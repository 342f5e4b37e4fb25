//! [`parse`] and [`text`]: times such as `24h`, of attributes and of the configuration.

use std::time::Duration;

/// The units of a time, as an error names them.
pub const UNITS: &str = "`d`, `h`, `m`, `s` or `ms`";

/// Reads a time such as `30s`: a number with a unit, above zero.
pub fn parse(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "d" => 24 * 60 * 60 * 1_000,
        "h" => 60 * 60 * 1_000,
        "m" => 60 * 1_000,
        "s" => 1_000,
        "ms" => 1,
        _ => return None,
    };
    let time = count.parse::<u64>().ok()?.checked_mul(milliseconds)?;
    (time > 0).then(|| Duration::from_millis(time))
}

/// Writes a time of whole seconds in its greatest unit: 900 seconds are `15m`.
pub fn text(time: Duration) -> String {
    const GREATER: [(u64, &str); 3] = [(24 * 60 * 60, "d"), (60 * 60, "h"), (60, "m")];
    let seconds = time.as_secs();
    let whole = GREATER.into_iter().find(|(unit, _)| seconds.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{seconds}s"), |(unit, name)| format!("{}{name}", seconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_with_a_unit() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("24h", 86_400), ("400d", 34_560_000)] {
            assert_eq!(parse(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(parse("250ms"), Some(Duration::from_millis(250)));
        for text in ["", "30", "s", "0s", "-1s", "+1s", "1.5h", "1 h", "1H", "1w", "99999999999999999999s", "1é"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_written_in_its_greatest_unit() {
        for (seconds, expected) in [(1, "1s"), (90, "90s"), (900, "15m"), (3_600, "1h"), (86_400, "1d")] {
            assert_eq!(text(Duration::from_secs(seconds)), expected);
            assert_eq!(parse(expected), Some(Duration::from_secs(seconds)));
        }
    }
}
