//! [`Report`]: parts of a database that resources lack, and the reasons.

use std::fmt;

/// Parts of a database without a resource, and remarks on the others.
#[derive(Debug, Default)]
pub(super) struct Report {
    left_out: Vec<Line>,
    remarks: Vec<Line>,
}

/// A table or a column in backticks, and what is said of it.
type Line = (String, String);

/// The number of lines that say the same, from which on they are one.
const ALIKE: usize = 4;

impl Report {
    /// A table or view has no resource, or a column, `table.column`, no field.
    pub(super) fn left_out(&mut self, place: &str, reason: &str) {
        self.left_out.push((format!("`{place}`"), reason.to_owned()));
    }

    /// Remark on a table or on a column.
    pub(super) fn remark(&mut self, place: &str, remark: &str) {
        self.remarks.push((format!("`{place}`"), remark.to_owned()));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (head, lines) in [("Left out:", &self.left_out), ("Look at:", &self.remarks)] {
            if !lines.is_empty() {
                writeln!(f, "{head}")?;
            }
            for (position, (name, text)) in lines.iter().enumerate() {
                let alike = |lines: &[Line]| lines.iter().filter(|(_, other)| other == text).count();
                match alike(lines) {
                    count if count < ALIKE => writeln!(f, "  {name}: {text}")?,
                    count if alike(&lines[..position]) == 0 => {
                        writeln!(f, "  {name} and {} others: {text}", count - 1)?;
                    }
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
        let expected = "Left out:\n  `p1` and 54 others: a partition of `p`\n  `q`: another reason\nLook at:\n  \
                        `a1`: it has no key\n  `a2`: it has no key\n  `a3`: it has no key\n";
        assert_eq!(report.to_string(), expected);
    }
}
