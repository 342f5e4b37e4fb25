//! Metrics in Prometheus' own text format, 0.0.4, from that of OpenMetrics
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
//!
//! Samples are the same. Descriptions name a counter with `_total`, as its samples do, and the text has no end marker.

use std::collections::HashSet;
use std::fmt::Write as _;

/// The text of OpenMetrics in Prometheus' own format.
pub(super) fn plain(text: &str) -> String {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"));
    let counters: HashSet<&str> = types.collect();
    let mut plain = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF" && !line.starts_with("# UNIT ")) {
        // Writing to memory cannot fail.
        let _ = match description(line).filter(|(_, name, _)| counters.contains(name)) {
            Some((kind, name, rest)) => writeln!(plain, "# {kind} {name}_total {rest}"),
            None => writeln!(plain, "{line}"),
        };
    }
    plain
}

/// The keyword, the name and the rest of a line that describes a metric.
fn description(line: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = line.strip_prefix("# ")?.split_once(' ')?;
    let (name, rest) = rest.split_once(' ')?;
    Some((kind, name, rest))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn counters_are_described_by_the_name_of_their_samples() {
        let text = "# HELP requests Requests.\n# TYPE requests counter\nrequests_total{a=\"# b\"} 1\n\
                    # HELP busy Busy.\n# TYPE busy gauge\n# UNIT busy seconds\nbusy 2\n# EOF\n";
        let expected = "# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{a=\"# b\"} 1\n\
                        # HELP busy Busy.\n# TYPE busy gauge\nbusy 2\n";
        assert_eq!(plain(text), expected);
    }
}
