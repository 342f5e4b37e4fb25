//! Sample texts for regular expressions.

use regex_syntax::hir::{Class, Hir, HirKind};

/// The number of repetitions where the pattern has no maximum.
const REPETITIONS: u32 = 3;

/// A text that matches the pattern, assertions aside.
pub(crate) fn sample(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut text = String::new();
    write(&mut text, &hir)?;
    Some(text)
}

fn write(out: &mut String, hir: &Hir) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(member(class, out.chars().count())?),
        HirKind::Repetition(repetition) => {
            let max = repetition.max.unwrap_or(REPETITIONS);
            for _ in 0..repetition.min.max(max.min(REPETITIONS)) {
                write(out, &repetition.sub)?;
            }
        }
        HirKind::Capture(capture) => write(out, &capture.sub)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(out, part))?,
        HirKind::Alternation(choices) => write(out, choices.first()?)?,
    }
    Some(())
}

/// A character of a class: letters and digits first, varying by position.
fn member(class: &Class, position: usize) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    let has = |c: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&c));
    let letters: Vec<char> = ('a'..='z').chain('A'..='Z').filter(has).collect();
    let digits: Vec<char> = ('0'..='9').filter(has).collect();
    let preferred = [letters, digits].into_iter().find(|chars| !chars.is_empty());
    preferred.map_or(ranges.first().map(|range| range.0), |chars| Some(chars[position % chars.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_matches_its_pattern() {
        for pattern in [
            "^[A-Z]{3}-[0-9]+$",
            "b+",
            "^(red|green)?$",
            r"^\d{4}-\d{2}$",
            "^[^,]{2,}$",
            r"^\p{Lu}\w*(, \w+)*$",
            "",
            "^.{5}$",
            "^[—…]$",
        ] {
            let sample = sample(pattern).unwrap();
            assert!(regex::Regex::new(pattern).unwrap().is_match(&sample), "{pattern}: {sample}");
        }
    }

    #[test]
    fn samples_prefer_letters_and_digits() {
        assert_eq!(sample("^[A-Z]{3}-[0-9]+$").unwrap(), "ABC-456");
        assert_eq!(sample("^[a-z0-9]{4}$").unwrap(), "abcd");
    }
}
