//! Advice on indexes that nothing uses.

use super::log::Log;
use crate::model::descriptor::Descriptor;
use crate::storage::index_use::{CountedIndex, IndexCounts, IndexUse, TableIndexes};

/// The lines on indexes that nothing uses, each with the words of a struct that ask for it and the statement that drops it.
pub(super) fn lines(found: &IndexUse, log: Option<&Log>, resources: &[&'static Descriptor]) -> Vec<String> {
    match Evidence::of(found, log) {
        Ok(evidence) => evidence.lines(found, resources),
        Err(reason) => vec![format!("Unused indexes: {reason}.")],
    }
}

/// The indexes that are known to be used, and the time since when.
struct Evidence<'a> {
    since: &'a str,
    /// `None` if the evidence is the database's own count.
    log: Option<&'a Log>,
}

impl<'a> Evidence<'a> {
    /// The evidence, or why there is none.
    fn of(found: &'a IndexUse, log: Option<&'a Log>) -> Result<Self, String> {
        match &found.counts {
            IndexCounts::None => Err("this storage does not count the use of its indexes".to_owned()),
            IndexCounts::Off(remedy) => Err(remedy.clone()),
            IndexCounts::Since(since) => Ok(Self { since, log: None }),
            IndexCounts::Log => {
                let Some(log) = log else {
                    return Err(
                        "SQLite does not count the use of indexes. A service logs each index that a plan uses: \
                                `crud check --indexes LOG` names the others"
                            .to_owned(),
                    );
                };
                let Some(start) = &log.start else {
                    return Err(
                        "the log has no start of the service, so that the indexes that it used before are not \
                                known: add the log before this one, such as by \
                                `cat service.log.1 service.log | crud check --indexes -`"
                            .to_owned(),
                    );
                };
                if log.is_cut {
                    return Err("the service had more kinds of statements than it records the indexes of".to_owned());
                }
                Ok(Self { since: start, log: Some(log) })
            }
        }
    }

    fn is_used(&self, index: &CountedIndex) -> bool {
        self.log.map_or(index.reads > 0, |log| log.used.contains(&index.name))
    }

    /// Whether the table was read at all, by what is known.
    fn is_read(&self, table: &TableIndexes) -> bool {
        self.log.is_some() || table.reads > 0
    }

    fn lines(&self, found: &IndexUse, resources: &[&'static Descriptor]) -> Vec<String> {
        let (read, others): (Vec<_>, Vec<_>) = found.tables.iter().partition(|table| self.is_read(table));
        let mut lines = Vec::new();
        for table in read {
            for index in table.unused(|index| self.is_used(index)) {
                let asked = asking(table, index, resources);
                if asked == Asked::Needed {
                    continue;
                }
                lines.push(format!("  {}: {}", index.name, asked.text()));
                lines.push(format!("    {};", index.drop));
            }
        }
        let since = self.since;
        if lines.is_empty() {
            lines.push(format!("Unused indexes: none since {since}."));
        } else {
            lines.insert(0, format!("Unused indexes, since {since}:"));
            lines.push(
                "Before you drop one, check that this time includes rare lists, such as those at the end of a month. Remove the \
                 attribute that asks for it too, or the next start creates it again."
                    .to_owned(),
            );
        }
        if !others.is_empty() {
            let names: Vec<String> = others.iter().map(|table| format!("`{}`", table.name)).collect();
            lines.push(format!("Tables without reads since then, whose indexes are not judged: {}.", names.join(", ")));
        }
        lines
    }
}

/// The words of a struct that ask for an index.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    /// Every list needs the index.
    Needed,
    /// These words ask for the index.
    By(String),
    /// No words ask for the index.
    Nothing,
}

impl Asked {
    fn text(&self) -> String {
        match self {
            Self::By(words) => format!("for {words}"),
            Self::Needed | Self::Nothing => "no struct asks for it".to_owned(),
        }
    }
}

/// The words of any struct of the table that ask for an index.
fn asking(table: &TableIndexes, index: &CountedIndex, resources: &[&'static Descriptor]) -> Asked {
    let of_table = resources.iter().filter(|resource| resource.table.eq_ignore_ascii_case(&table.name));
    let asked: Vec<Asked> = of_table.map(|resource| asked_by(resource, index)).collect();
    if asked.contains(&Asked::Needed) {
        return Asked::Needed;
    }
    asked.into_iter().find(|asked| *asked != Asked::Nothing).unwrap_or(Asked::Nothing)
}

fn asked_by(resource: &Descriptor, index: &CountedIndex) -> Asked {
    let position = |name: &String| resource.columns.iter().position(|column| column.column.eq_ignore_ascii_case(name));
    let Some(columns) = index.columns.iter().map(position).collect::<Option<Vec<usize>>>() else {
        return Asked::Nothing;
    };
    // These columns may be in any index, for all lists alike.
    let is_implied = |column: &usize| {
        resource.is_key(*column)
            || resource.soft_delete.is_some_and(|soft_delete| soft_delete.deleted_at == *column)
            || resource.tenant.is_some_and(|tenant| tenant.column == *column)
    };
    let own = |columns: &[usize]| columns.iter().copied().filter(|column| !is_implied(column)).collect::<Vec<_>>();
    let names = |columns: &[usize], some: Option<usize>| {
        let name = |column: &usize| {
            let name = resource.columns[*column].name;
            if some == Some(*column) { format!("some({name})") } else { name.to_owned() }
        };
        columns.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let of_struct = |words: String| Asked::By(format!("{words} of {}", resource.name));
    let sought = own(&columns);
    if let Some(group) = resource.indexes.iter().find(|group| own(group) == sought) {
        return of_struct(format!("`index({})`", names(group, None)));
    }
    if let Some(partial) = resource.partial_indexes.iter().find(|partial| own(partial.columns) == sought) {
        return of_struct(format!("`index({})`", names(partial.columns, Some(partial.some))));
    }
    let together = resource.columns.iter().filter_map(|column| column.references).map(|reference| reference.by);
    if !sought.is_empty() && together.filter(|by| !by.is_empty()).any(|by| own(by) == sought) {
        return Asked::Needed;
    }
    let order: Vec<usize> = resource.default_sort.iter().map(|key| key.column).collect();
    match sought.as_slice() {
        [] => Asked::Needed,
        [column] => of_field(resource, *column, order.first() == Some(column)),
        [column, ..] if resource.columns[*column].references.is_some() => of_field(resource, *column, false),
        columns if columns == own(&order) => of_struct("`default_sort`".to_owned()),
        _ => Asked::Nothing,
    }
}

fn of_field(resource: &Descriptor, column: usize, is_order: bool) -> Asked {
    let column = &resource.columns[column];
    let words = [
        (column.filterable, "`filter`"),
        (column.sortable, "`sort`"),
        (column.indexed, "`index`"),
        (is_order, "`default_sort`"),
    ];
    let words: Vec<&str> = words.into_iter().filter_map(|(is_there, word)| is_there.then_some(word)).collect();
    if words.is_empty() {
        // Only a foreign key asks for the index, or nothing does.
        return if column.references.is_some() { Asked::Needed } else { Asked::Nothing };
    }
    Asked::By(format!("{} of {}.{}", words.join(" and "), resource.name, column.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[derive(Resource)]
    #[crud(filter(shelf, price), sort(price, weight), soft_delete, index(shelf, price), default_sort(desc(weight)))]
    struct Item {
        id: i64,
        #[crud(rename = "place")]
        shelf: i64,
        price: i64,
        weight: i64,
        note: String,
        is_deleted: bool,
        deleted_at: Option<DateTime<Utc>>,
    }

    fn asked(columns: &[&str]) -> Asked {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        let index = CountedIndex { name: String::new(), columns, is_unique: false, reads: 0, drop: String::new() };
        asked_by(Item::DESCRIPTOR, &index)
    }

    #[test]
    fn words_that_ask_for_an_index_are_named() {
        let shelf = Item::DESCRIPTOR.columns[1].column;
        let by = |words: &str| Asked::By(words.to_owned());
        assert_eq!(asked(&[shelf, "price", "id", "deleted_at"]), by("`index(shelf, price)` of Item"));
        assert_eq!(asked(&["deleted_at", "price", "id"]), by("`filter` and `sort` of Item.price"));
        assert_eq!(asked(&["weight", "id"]), by("`sort` and `default_sort` of Item.weight"));
        assert_eq!(asked(&["deleted_at", "id"]), Asked::Needed);
        assert_eq!(asked(&["note"]), Asked::Nothing);
        assert_eq!(asked(&["of_another_program"]), Asked::Nothing);
    }
}
