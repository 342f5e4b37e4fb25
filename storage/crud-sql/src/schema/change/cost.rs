//! [`Cost`]: what a change of a table costs others who use it.

/// Cost of a change to others who use the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// The work, before the number of records.
    work: &'static str,
    /// Word before the number of records, where some may be left as they are.
    most: &'static str,
    /// Others who wait meanwhile.
    waiting: &'static str,
}

impl Cost {
    /// Writes every record anew.
    pub(crate) const fn writing(waiting: &'static str) -> Self {
        Self { work: "Writes all records anew,", most: "", waiting }
    }

    /// Reads every record.
    pub(crate) const fn reading(waiting: &'static str) -> Self {
        Self { work: "Reads all records,", most: "", waiting }
    }

    /// Changes records that have no value yet.
    pub(crate) const fn filling(waiting: &'static str) -> Self {
        Self { work: "Changes records,", most: " at most", waiting }
    }

    /// The comment on a change of a table with so many records, where that is known.
    pub(crate) fn comment(self, records: Option<i64>) -> String {
        let Self { work, most, waiting } = self;
        match records {
            Some(records) => format!("-- {work}{most} {records} here, while {waiting}."),
            None => format!("-- {work} while {waiting}."),
        }
    }
}
