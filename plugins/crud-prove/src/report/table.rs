//! The table of what each principal may do, as observed.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The position of a cell: its resource, its principal and its column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CellPosition {
    pub(crate) resource: usize,
    pub(crate) caller: usize,
    pub(crate) column: usize,
}

/// The texts of the cells.
pub(crate) type Cells = BTreeMap<CellPosition, String>;

/// Rows: the names of principals with equal cells, and these cells.
type Rows<'c> = Vec<(Vec<&'c str>, Vec<&'c str>)>;

/// The page: a table for each resource. Principals that may do the same share a row.
pub(crate) fn page(cells: &Cells, resources: &[String], callers: &[String], columns: &[&str]) -> String {
    let mut page = HEAD.to_owned();
    for (resource, title) in resources.iter().enumerate() {
        let of_resource: BTreeMap<(usize, usize), &str> = cells
            .iter()
            .filter(|(place, _)| place.resource == resource)
            .map(|(place, text)| ((place.caller, place.column), text.as_str()))
            .collect();
        let is_used = |column: &usize| of_resource.keys().any(|(_, used)| used == column);
        let used: Vec<usize> = (0..columns.len()).filter(is_used).collect();
        if used.is_empty() {
            continue;
        }
        let mut rows: Rows<'_> = Vec::new();
        for (caller, name) in callers.iter().enumerate() {
            let texts: Vec<&str> =
                used.iter().map(|column| of_resource.get(&(caller, *column)).copied().unwrap_or("")).collect();
            match rows.iter_mut().find(|(_, other)| *other == texts) {
                Some((names, _)) => names.push(name),
                None => rows.push((vec![name], texts)),
            }
        }
        let heads: Vec<&str> = used.iter().map(|column| columns[*column]).collect();
        // Writing to a String cannot fail.
        let _ = write!(page, "\n## {title}\n\n| | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
        for (names, texts) in rows {
            let _ = writeln!(page, "| {} | {} |", names.join("; "), texts.join(" | "));
        }
    }
    page
}

const HEAD: &str = "\
# Who may do what

`crud prove --table` writes this page, from answers of the service to requests of each principal. A principal with a role
has records of its own in a tenant, unless it is named *a stranger* there or *of another tenant*.

`401` and `403`: refused. Records: `all`, those of the principal's `tenant`, its `own`, `some`, or `none`. `refused`: by
the program's own code, although the rules admit it.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principals_that_may_do_the_same_share_a_row() {
        let texts = [(0, 0, "401"), (1, 0, "all"), (2, 0, "all"), (1, 1, "own"), (2, 1, "own")];
        let cell = |(caller, column, text): (usize, usize, &str)| {
            (CellPosition { resource: 0, caller, column }, text.to_owned())
        };
        let cells: Cells = texts.into_iter().map(cell).collect();
        let names = ["nobody", "staff", "admin"].map(str::to_owned);
        let page = page(&cells, &["Book, `/books`".to_owned()], &names, &["list", "delete", "purge"]);
        let table = "## Book, `/books`\n\n| | list | delete |\n|---|---|---|\n| nobody | 401 |  |\n| staff; admin | all | own |\n";
        assert!(page.ends_with(table), "{page}");
    }
}
