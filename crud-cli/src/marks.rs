//! The marks between which the command edits a user's file: `// <crud:name>` and `// </crud:name>`.

use anyhow::{Context, Result, bail};

/// The text with a line between the marks of this name, in order among the lines there, with the indentation of the
/// first mark. A line that is anywhere in the text is not added again.
pub(crate) fn add(text: &str, name: &str, line: &str) -> Result<String> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.iter().any(|other| other.trim() == line) {
        return Ok(text.to_owned());
    }
    let (open, close) = (format!("// <crud:{name}>"), format!("// </crud:{name}>"));
    let first = position(&lines, &open)?;
    let last = position(&lines, &close)?;
    if last < first {
        bail!("the mark `{close}` is before `{open}`");
    }
    let between = &lines[first + 1..last];
    let after = between.iter().rposition(|other| key(other) < key(line)).map_or(0, |position| position + 1);
    let indentation = &lines[first][..lines[first].len() - lines[first].trim_start().len()];
    let line = format!("{indentation}{line}");
    let mut lines = lines.clone();
    lines.insert(first + 1 + after, &line);
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Ok(lines.join(ending) + ending)
}

/// The text without a line between the marks of this name, if it is there.
pub(crate) fn remove(text: &str, name: &str, line: &str) -> Result<String> {
    let lines: Vec<&str> = text.lines().collect();
    let first = position(&lines, &format!("// <crud:{name}>"))?;
    let last = position(&lines, &format!("// </crud:{name}>"))?;
    let is_line = |index: &usize| *index > first && *index < last && lines[*index].trim() == line;
    let Some(found) = (0..lines.len()).find(is_line) else { return Ok(text.to_owned()) };
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let remaining: Vec<&str> = lines[..found].iter().chain(&lines[found + 1..]).copied().collect();
    Ok(remaining.join(ending) + ending)
}

/// The sort key of a line, as rustfmt orders them.
fn key(line: &str) -> String {
    line.trim().replace("r#", "")
}

fn position(lines: &[&str], mark: &str) -> Result<usize> {
    let mut found = lines.iter().enumerate().filter(|(_, line)| line.trim() == mark);
    let (position, _) = found.next().with_context(|| format!("the mark `{mark}` is missing"))?;
    if found.next().is_some() {
        bail!("the mark `{mark}` occurs twice");
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "start\n    // <crud:x>\n    b\n    // </crud:x>\nend\n";

    #[test]
    fn lines_are_added_in_order_and_once() {
        let text = add(TEXT, "x", "c").and_then(|text| add(&text, "x", "a")).expect("the marks");
        assert_eq!(text, "start\n    // <crud:x>\n    a\n    b\n    c\n    // </crud:x>\nend\n");
        assert_eq!(add(&text, "x", "b").expect("the marks"), text);
        assert_eq!(add(&text, "x", "end").expect("the marks"), text);
    }

    #[test]
    fn lines_of_the_user_keep_their_place() {
        let text = "// <crud:x>\nmine();\n// a comment\n// </crud:x>\n";
        assert_eq!(add(text, "x", "z").expect("the marks"), "// <crud:x>\nmine();\n// a comment\nz\n// </crud:x>\n");
        assert_eq!(
            add("// <crud:x>\r\n// </crud:x>\r\n", "x", "a").expect("the marks"),
            "// <crud:x>\r\na\r\n// </crud:x>\r\n"
        );
    }

    #[test]
    fn a_line_is_removed_between_its_marks_alone() {
        let text = "b\n// <crud:x>\n    a\n    b\n// </crud:x>\nb\n";
        assert_eq!(remove(text, "x", "b").expect("the marks"), "b\n// <crud:x>\n    a\n// </crud:x>\nb\n");
        assert_eq!(remove(text, "x", "c").expect("the marks"), text);
        assert!(remove("b\n", "x", "b").is_err());
    }

    #[test]
    fn missing_marks_are_errors() {
        let error = |text: &str| add(text, "x", "a").expect_err("no marks").to_string();
        assert_eq!(error(""), "the mark `// <crud:x>` is missing");
        assert_eq!(error("// <crud:x>\n"), "the mark `// </crud:x>` is missing");
        assert!(error("// </crud:x>\n// <crud:x>\n").contains("is before"));
        assert!(error("// <crud:x>\n// <crud:x>\n// </crud:x>\n").contains("twice"));
    }
}
