//! A chart of CPU times as SVG: a group of bars for each case, each group to its own scale.

use std::fmt::Write as _;

use crate::report::Row;

const WIDTH: f64 = 720.0;
const LABELS: f64 = 110.0;
const BAR: f64 = 18.0;
const GAP: f64 = 4.0;

/// The colours of the servers, by their place among a case's.
const COLOURS: [&str; 5] = ["#8a94a6", "#b4bcc9", "#2563eb", "#1d4ed8", "#16a34a"];

/// The chart of these rows, grouped by their cases.
pub(crate) fn svg(rows: &[&Row]) -> String {
    let (mut bars, mut y) = (String::new(), 0.0);
    let mut servers: Vec<&str> = Vec::new();
    for group in rows.chunk_by(|a, b| a.case == b.case) {
        y += BAR + 2.0 * GAP;
        let title = group.first().map_or("", |row| row.case.title());
        let _ = writeln!(bars, r#"<text x="0" y="{y}" class="case">{title}</text>"#);
        y += GAP;
        let largest = group.iter().map(|row| row.cpu).fold(0.0, f64::max);
        for row in group {
            let place = servers.iter().position(|server| *server == row.server).unwrap_or_else(|| {
                servers.push(row.server);
                servers.len() - 1
            });
            let (length, middle) = ((WIDTH - LABELS - 90.0) * row.cpu / largest, y + BAR / 2.0 + 4.0);
            let colour = COLOURS[place % COLOURS.len()];
            let _ = writeln!(bars, r#"<text x="0" y="{middle:.0}">{}</text>"#, row.server);
            let _ =
                writeln!(bars, r#"<rect x="{LABELS}" y="{y:.0}" width="{length:.1}" height="{BAR}" fill="{colour}"/>"#);
            let end = LABELS + length + 6.0;
            let _ = writeln!(bars, r#"<text x="{end:.1}" y="{middle:.0}">{:.1} µs</text>"#, row.cpu);
            y += BAR + GAP;
        }
    }
    let style = "text{font:13px system-ui,sans-serif;fill:#6b7280}.case{font-weight:600}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y:.0}\" role=\"img\">\n\
         <title>CPU time of a request, in microseconds</title>\n<style>{style}</style>\n{bars}</svg>\n"
    )
}
