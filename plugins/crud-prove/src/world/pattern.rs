//! Texts that match a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Limit of repetitions if the pattern has no maximum.
const REPETITIONS: u32 = 4;

/// A text that matches a pattern, except for assertions. Most numbers give different texts.
pub(super) fn matching(pattern: &str, number: u32) -> Option<String> {
    let (mut text, mut digits) = (String::new(), number);
    write(&mut text, &regex_syntax::parse(pattern).ok()?, &mut digits)?;
    Some(text)
}

fn write(out: &mut String, hir: &Hir, number: &mut u32) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(member(class, number)?),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.max(REPETITIONS));
            (0..most).try_for_each(|_| write(out, &repetition.sub, number))?;
        }
        HirKind::Capture(capture) => write(out, &capture.sub, number)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(out, part, number))?,
        HirKind::Alternation(choices) => write(out, choices.first()?, number)?,
    }
    Some(())
}

/// A character of a class, chosen by the number; a letter or a digit if the class has some.
fn member(class: &Class, number: &mut u32) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    let has = |c: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&c));
    let plain: Vec<char> = ('a'..='z').chain('0'..='9').chain('A'..='Z').filter(has).collect();
    let count = u32::try_from(plain.len()).ok().filter(|count| *count > 0);
    let Some(count) = count else { return ranges.first().map(|range| range.0) };
    let position = *number % count;
    *number /= count;
    plain.get(usize::try_from(position).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn texts_of_a_pattern_differ_by_their_numbers() {
        let texts: BTreeSet<String> = (0..50).filter_map(|number| matching("^[A-Z]{2}-[0-9]+$", number)).collect();
        assert_eq!(texts.len(), 50);
        assert!(texts.iter().all(|text| text.len() == 7 && text.as_bytes()[2] == b'-'), "{texts:?}");
    }
}
