//! [`IndexUse`]: the indexes of tables, and how often each was read.

/// The indexes of tables, and how often each was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexUse {
    /// The tables that exist.
    pub tables: Vec<TableIndexes>,
    /// The origin of the counts.
    pub counts: IndexCounts,
}

/// The origin of the counts of an [`IndexUse`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum IndexCounts {
    /// No counts.
    #[default]
    None,
    /// The database does not count at present. The text is the setting that makes it count.
    Off(String),
    /// The database has counted since this event or time.
    Since(String),
    /// The service's log names each index that the plan of a statement used.
    Log,
}

/// The indexes of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableIndexes {
    /// The table's name.
    pub name: String,
    /// The number of reads of the table, in the unit of its indexes' reads.
    pub reads: u64,
    /// The columns of each foreign key of the table.
    pub references: Vec<Vec<String>>,
    /// The table's indexes on columns.
    pub indexes: Vec<CountedIndex>,
}

/// An index with the number of its reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedIndex {
    /// The index's name.
    pub name: String,
    /// The index's columns, in order.
    pub columns: Vec<String>,
    /// Whether the index is unique, so that it is needed even if nothing reads it.
    pub is_unique: bool,
    /// Number of scans, or of rows that were read through the index, whichever the database counts.
    pub reads: u64,
    /// The statement that drops the index, such as `DROP INDEX "ix_products__stock"`.
    pub drop: String,
}

impl IndexUse {
    /// The indexes of tables, with the origin of their counts.
    pub const fn new(tables: Vec<TableIndexes>, counts: IndexCounts) -> Self {
        Self { tables, counts }
    }

    /// Adds the reads that another server of the same database has counted.
    #[doc(hidden)]
    pub fn add(&mut self, other: &Self) {
        for table in &mut self.tables {
            let Some(same) = other.tables.iter().find(|other| other.name == table.name) else { continue };
            table.reads += same.reads;
            for index in &mut table.indexes {
                let same = same.indexes.iter().find(|other| other.name == index.name);
                index.reads += same.map_or(0, |same| same.reads);
            }
        }
    }
}

impl TableIndexes {
    /// The indexes that nothing used and nothing needs. Each foreign key keeps one index: a change of the other table
    /// finds the referring records through it.
    #[doc(hidden)]
    pub fn unused(&self, is_used: impl Fn(&CountedIndex) -> bool) -> Vec<&CountedIndex> {
        let (kept, mut unused): (Vec<_>, Vec<_>) =
            self.indexes.iter().partition(|index| index.is_unique || is_used(index));
        unused.sort_by_key(|index| index.columns.len());
        for reference in &self.references {
            let serves = |index: &&CountedIndex| {
                let first = index.columns.get(..reference.len());
                first.is_some_and(|first| reference.iter().all(|column| first.contains(column)))
            };
            if !kept.iter().any(serves)
                && let Some(needed) = unused.iter().position(serves)
            {
                unused.remove(needed);
            }
        }
        unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(columns: &[&str], is_unique: bool, reads: u64) -> CountedIndex {
        let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
        CountedIndex { name: columns.join("_"), columns, is_unique, reads, drop: String::new() }
    }

    fn unused(references: &[&[&str]], indexes: &[CountedIndex]) -> Vec<String> {
        let references = references.iter().map(|columns| columns.iter().map(|one| (*one).to_owned()).collect());
        let table = TableIndexes { references: references.collect(), indexes: indexes.to_vec(), ..Default::default() };
        table.unused(|index| index.reads > 0).iter().map(|index| index.name.clone()).collect()
    }

    #[test]
    fn unique_and_used_indexes_are_kept() {
        let indexes = [index(&["a"], true, 0), index(&["b"], false, 1), index(&["c"], false, 0)];
        assert_eq!(unused(&[], &indexes), ["c"]);
    }

    #[test]
    fn foreign_key_keeps_one_index() {
        let (long, short) = (index(&["a", "b"], false, 0), index(&["a"], false, 0));
        assert_eq!(unused(&[&["a"]], &[long.clone(), short.clone()]), ["a_b"]);
        let used = index(&["a", "b"], false, 1);
        assert_eq!(unused(&[&["a"]], &[used, short]), ["a"]);
        assert!(unused(&[&["b", "a"]], &[long]).is_empty(), "the order of a foreign key's columns is not the index's");
    }

    #[test]
    fn reads_of_servers_are_added() {
        let of = |reads| IndexUse {
            tables: vec![TableIndexes {
                name: "t".to_owned(),
                reads,
                indexes: vec![index(&["a"], false, reads)],
                ..Default::default()
            }],
            ..Default::default()
        };
        let mut sum = of(1);
        sum.add(&of(2));
        assert_eq!(sum, of(3));
    }
}
