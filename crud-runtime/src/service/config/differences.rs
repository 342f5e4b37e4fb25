//! Lines of `check` on a database that differs from the structs.

use std::mem::{Discriminant, discriminant};

use crate::storage::schema::{Difference, DifferenceKind, Verdict};

/// Maximum number of differences of one kind that are printed one by one.
const ALIKE: usize = 5;

/// Number of differences that are printed where there are more.
const SHOWN: usize = 3;

/// A kind of differences: what follows from them, and their variant.
type Kind = (Verdict, Discriminant<DifferenceKind>);

/// The differences, grouped by kind. Of many alike, only the first ones are printed, unless `all` is set.
pub(super) fn lines(differences: &[&Difference], all: bool) -> Vec<String> {
    let mut kinds: Vec<(Kind, Vec<&Difference>)> = Vec::new();
    for difference in differences {
        let kind = (difference.verdict(), discriminant(&difference.what));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, alike)) => alike.push(difference),
            None => kinds.push((kind, vec![difference])),
        }
    }
    let mut lines = Vec::new();
    for ((verdict, _), alike) in kinds {
        let shown = if all || alike.len() <= ALIKE { alike.len() } else { SHOWN };
        lines.extend(alike[..shown].iter().map(|difference| format!("  {verdict}: {difference}")));
        let more = alike.len() - shown;
        lines.extend(
            (more > 0).then(|| format!("  {verdict}: {more} more like these, which `crud check --all` prints")),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(table: &'static str, index: usize) -> Difference {
        let what = DifferenceKind::IndexMissing { index: format!("ix_{index}"), columns: vec!["a"] };
        let mut difference = Difference::new(table, what);
        difference.is_managed = false;
        difference
    }

    #[test]
    fn many_differences_of_one_kind_are_a_few_lines_and_their_number() {
        let unused =
            Difference::new("books", DifferenceKind::ColumnUnused { column: "colour".to_owned(), required: false });
        let mut found: Vec<Difference> = (0..690).map(|index| missing("books", index)).collect();
        found.insert(1, unused);
        let found: Vec<&Difference> = found.iter().collect();
        let printed = lines(&found, false);
        assert_eq!(printed.len(), 5, "{printed:?}");
        assert!(printed[0].starts_with("  costs: index `ix_0`") && printed[4].starts_with("  fits: table `books`"));
        assert_eq!(printed[3], "  costs: 687 more like these, which `crud check --all` prints");
        assert_eq!(lines(&found, true).len(), 691);
    }

    #[test]
    fn few_differences_of_one_kind_are_a_line_each() {
        let found: Vec<Difference> = (0..ALIKE).map(|index| missing("books", index)).collect();
        let found: Vec<&Difference> = found.iter().collect();
        assert_eq!(lines(&found, false), lines(&found, true));
    }
}
