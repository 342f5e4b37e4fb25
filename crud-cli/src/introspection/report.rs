//! [`Report`]: parts of a database that resources lack, and the reasons.

use std::fmt;

/// Parts of a database without a resource, and remarks on the others.
#[derive(Debug, Default)]
pub(super) struct Report {
    left_out: Vec<Line>,
    remarks: Vec<Line>,
}

/// A remark on a table or a column, or on several.
#[derive(Debug)]
struct Line {
    /// The table or column in backticks.
    place: String,
    text: String,
    /// Whether a line for several places names each of them, instead of counting them.
    names_each: bool,
}

impl Line {
    fn new(place: &str, text: &str) -> Self {
        Self { place: format!("`{place}`"), text: text.to_owned(), names_each: false }
    }
}

/// From this number on, lines with the same text are merged into one.
const ALIKE: usize = 4;

impl Report {
    /// A table or view without a resource, or a column (`table.column`) without a field.
    pub(super) fn left_out(&mut self, place: &str, reason: &str) {
        self.left_out.push(Line::new(place, reason));
    }

    /// Remark on a table or on a column.
    pub(super) fn remark(&mut self, place: &str, remark: &str) {
        self.remarks.push(Line::new(place, remark));
    }

    /// A column that looks like a secret and has no field. The report names each of them.
    pub(super) fn secret_left_out(&mut self, place: &str, reason: &str) {
        self.left_out.push(Line { names_each: true, ..Line::new(place, reason) });
    }

    /// Remark on a column that looks like a secret. The report names each of them.
    pub(super) fn secret(&mut self, place: &str, remark: &str) {
        self.remarks.push(Line { names_each: true, ..Line::new(place, remark) });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (head, lines) in [("Left out:", &self.left_out), ("Look at:", &self.remarks)] {
            if !lines.is_empty() {
                writeln!(f, "{head}")?;
            }
            for (position, Line { place, text, names_each }) in lines.iter().enumerate() {
                let alike: Vec<&str> =
                    lines.iter().filter(|line| line.text == *text).map(|line| &*line.place).collect();
                let is_first = !lines[..position].iter().any(|line| line.text == *text);
                match alike.len() {
                    _ if *names_each && is_first => writeln!(f, "  {}: {text}", alike.join(", "))?,
                    _ if *names_each => {}
                    count if count < ALIKE => writeln!(f, "  {place}: {text}")?,
                    count if is_first => writeln!(f, "  {place} and {} others: {text}", count - 1)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn many_lines_that_say_the_same_are_one() {
        let mut report = Report::default();
        for number in 1..=3 {
            report.remark(&format!("a{number}"), "it has no key");
        }
        for number in 1..=55 {
            report.left_out(&format!("p{number}"), "a partition of `p`");
        }
        report.left_out("q", "another reason");
        for number in 1..=5 {
            report.secret(&format!("s{number}"), "it looks like a secret");
        }
        let expected = "Left out:\n  `p1` and 54 others: a partition of `p`\n  `q`: another reason\nLook at:\n  \
                        `a1`: it has no key\n  `a2`: it has no key\n  `a3`: it has no key\n  `s1`, `s2`, `s3`, `s4`, `s5`: it looks like a \
                        secret\n";
        assert_eq!(report.to_string(), expected);
    }
}
