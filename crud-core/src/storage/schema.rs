//! [`Difference`]: how a database differs from what its resources need; [`Verdict`]: what follows from it.

use std::fmt;

use crate::model::descriptor::Descriptor;

/// Verdict of the comparison of structs and database, from the best to the worst. One comparison answers whether a service
/// starts, what `check` prints, and whether a running service still serves a resource.
///
/// ```
/// use crud_runtime::schema::{Difference, DifferenceKind, Verdict};
///
/// let newer = DifferenceKind::ColumnUnused { column: "colour".to_owned(), required: false };
/// let missing = DifferenceKind::ColumnMissing { column: "pages" };
/// let differences = [Difference::new("books", newer), Difference::new("books", missing)];
/// assert_eq!(differences[0].verdict(), Verdict::Fits);
/// assert_eq!(Verdict::of(&differences), Verdict::Refuses);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every operation works as the structs say: the database may have more, such as what a newer program has added.
    Fits,
    /// A service starts, at a cost: lists are slower without an index, a CHECK refuses values that the struct allows.
    Warning,
    /// The resource cannot be served.
    Refuses,
}

impl Verdict {
    /// Worst verdict of these differences.
    pub fn of<'a>(differences: impl IntoIterator<Item = &'a Difference>) -> Self {
        differences.into_iter().map(Difference::verdict).max().unwrap_or(Self::Fits)
    }

    /// Name of the verdict, such as `costs`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Warning => "costs",
            Self::Refuses => "refuses",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One way in which a table differs from what its resource needs. As text it is a line such as
/// ``table `products`, column `price`: is TEXT, must be REAL``.
///
/// ```
/// use crud_runtime::schema::{Difference, DifferenceKind};
///
/// let difference = Difference::new("books", DifferenceKind::ColumnMissing { column: "pages" });
/// assert_eq!(difference.to_string(), "table `books`, column `pages`: is missing");
/// assert!(difference.is_refused());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The table's name.
    pub table: &'static str,
    /// Whether the service creates and alters the table. In another program's table, more differences are only
    /// warnings.
    pub is_managed: bool,
    /// The difference.
    pub what: DifferenceKind,
    /// The shard with the difference, where other shards do not have it.
    pub shard: Option<String>,
}

impl Difference {
    /// A difference of the service's table with this name.
    pub const fn new(table: &'static str, what: DifferenceKind) -> Self {
        Self { table, is_managed: true, what, shard: None }
    }

    /// Sets the shard that alone has the difference; `None` where all have it.
    #[must_use]
    pub fn in_shard(mut self, shard: Option<String>) -> Self {
        self.shard = shard;
        self
    }

    /// A difference of the table of a resource.
    pub const fn of(resource: &Descriptor, what: DifferenceKind) -> Self {
        Self { table: resource.table, is_managed: resource.is_managed(), what, shard: None }
    }
}

/// A difference. Names are the names in storage; types and actions are spelled as the database spells them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// There is no such table.
    TableMissing,
    /// The table is missing, and another one of nearly the same name has records and belongs to no struct.
    TableNear {
        /// The other table.
        other: String,
    },
    /// There is no such schema.
    SchemaMissing {
        /// The schema.
        schema: &'static str,
    },
    /// The table still has its former name (`renamed_from`): a written migration renames it.
    TableRenamed {
        /// The former name.
        from: &'static str,
    },
    /// The table's name belongs to something else, such as a view.
    NoTable {
        /// Kind of the object that has the name.
        is: String,
    },
    /// There is no such view.
    ViewMissing,
    /// The view's query differs from the struct's.
    ViewChanged,
    /// The view's name belongs to something else, such as a table.
    NoView {
        /// Kind of the object that has the name.
        is: String,
    },
    /// The view's name belongs to a view that no service has made.
    ViewOfOthers,
    /// The struct has no query for this database.
    ViewWithoutSql,
    /// There is no such view or table, and the struct has no query to create it with.
    ExistingViewMissing,
    /// A column of the view cannot be read as the field's values.
    ViewColumn {
        /// The column.
        column: &'static str,
        /// The column's type or collation.
        is: String,
        /// The type or collation that the field wants.
        must_be: String,
    },
    /// The view reads a table whose records only some principals see, and `reads` does not name the table.
    ViewReads {
        /// The table.
        table: &'static str,
        /// The table's resource.
        resource: &'static str,
        /// The part of the view that may read any table, where no other part reads this one.
        through: Option<String>,
    },
    /// A field's column is missing.
    ColumnMissing {
        /// The column.
        column: &'static str,
    },
    /// A field's column still has its former name (`renamed_from`): a written migration renames it.
    ColumnRenamed {
        /// The column.
        column: &'static str,
        /// The former name.
        from: &'static str,
    },
    /// A column's type does not keep the field's values as they are.
    Type {
        /// The column.
        column: &'static str,
        /// The column's type.
        is: String,
        /// The type that the field wants.
        must_be: String,
    },
    /// A column's values can be read as the field's, but not every value of the field can be written.
    Narrower {
        /// The column.
        column: &'static str,
        /// The column's type.
        is: String,
        /// The type that keeps every value of the field.
        must_be: String,
    },
    /// A column allows null where the field does not, or the other way round.
    Null {
        /// The column.
        column: &'static str,
        /// Whether the column must allow null.
        must_allow: bool,
    },
    /// A column needs a default: another struct of the table creates records without this field.
    DefaultMissing {
        /// The column.
        column: &'static str,
        /// The other struct.
        resource: &'static str,
    },
    /// A column's values are computed by storage.
    Generated {
        /// The column.
        column: &'static str,
    },
    /// The database does not fill in a column, though its field says so.
    NotFilled {
        /// The column.
        column: &'static str,
    },
    /// The database fills in the key, but does not return it.
    KeyNotReturned {
        /// The key's column.
        column: &'static str,
    },
    /// A column compares text otherwise than by code point.
    Collation {
        /// The column.
        column: &'static str,
        /// The column's collation.
        is: String,
        /// The collation that the field wants.
        must_be: String,
    },
    /// A column's collation takes different texts for equal, in comparisons and in UNIQUE.
    Equates {
        /// The column.
        column: &'static str,
        /// The column's collation.
        collation: String,
    },
    /// A reference has no foreign key.
    ForeignKeyMissing {
        /// The column.
        column: &'static str,
        /// The columns, where several refer together.
        columns: Vec<&'static str>,
        /// The table that it refers to.
        target: &'static str,
        /// The key of that table.
        key: Vec<&'static str>,
        /// The action when the other record is removed.
        on_delete: &'static str,
    },
    /// A foreign key has another action when the other record is removed.
    OnDelete {
        /// The column.
        column: &'static str,
        /// The foreign key's action.
        is: String,
        /// The action that the field wants.
        must_be: &'static str,
    },
    /// A reference points to a table that does not exist and is not created.
    TargetMissing {
        /// The column.
        column: &'static str,
        /// The table that it refers to.
        target: &'static str,
    },
    /// The primary key has other columns, or is missing.
    Key {
        /// The columns of the primary key.
        is: Vec<String>,
        /// The columns that the primary key must have.
        must_be: Vec<&'static str>,
    },
    /// Storage does not assign the key.
    KeyNotAssigned {
        /// The key's column.
        column: &'static str,
        /// The declaration that the column must have.
        must_be: &'static str,
    },
    /// There is no unique constraint on values that must be unique.
    UniqueMissing {
        /// The columns, which are unique together.
        columns: Vec<&'static str>,
        /// Whether only records count that are not deleted.
        active: bool,
        /// The columns among these whose text must be compared without regard to letter case.
        case_insensitive: Vec<&'static str>,
    },
    /// There is a unique constraint that no field asks for.
    UniqueUnused {
        /// The columns, which are unique together.
        columns: Vec<&'static str>,
        /// The columns among these whose text is compared without regard to letter case.
        case_insensitive: Vec<&'static str>,
    },
    /// A column has a foreign key that its field does not ask for.
    ForeignKeyUnused {
        /// The column.
        column: &'static str,
        /// The table that it refers to.
        target: String,
    },
    /// A list lacks an index that serves it.
    IndexMissing {
        /// The name for the index.
        index: String,
        /// The columns, in order.
        columns: Vec<&'static str>,
    },
    /// The name of a missing index is taken.
    IndexTaken {
        /// The name.
        index: String,
        /// The columns that the index must have, in order.
        columns: Vec<&'static str>,
    },
    /// An index that a service has created serves no list of the structs any more.
    IndexUnused {
        /// The index's name.
        index: String,
        /// The columns, in order.
        columns: Vec<&'static str>,
    },
    /// A search lacks the full-text index of its columns.
    SearchMissing {
        /// The columns, in order.
        columns: Vec<&'static str>,
    },
    /// A full-text index exists that no struct asks for.
    SearchUnused {
        /// The index's name.
        index: String,
    },
    /// The full-text index of a search lacks a trigger that updates it with the records: the index is created again.
    SearchIncomplete {
        /// The index's name.
        index: String,
    },
    /// The CHECK constraint of a column differs from the field's. A service starts all the same.
    Check {
        /// The column.
        column: &'static str,
        /// The condition of the column, if it has one.
        is: Option<String>,
        /// The condition that the field wants, if it wants one.
        must_be: Option<String>,
        /// Whether the column's own condition admits every value that the field's does, such as an enum's with more variants.
        admits: bool,
    },
    /// A column belongs to no field.
    ColumnUnused {
        /// The column.
        column: String,
        /// Whether the column is NOT NULL without default, so that no record can be created.
        required: bool,
    },
}

impl Difference {
    /// Verdict on the resource of the table.
    pub const fn verdict(&self) -> Verdict {
        if !self.is_managed {
            return self.what.verdict_on_unmanaged();
        }
        match &self.what {
            DifferenceKind::Check { admits: true, .. } => Verdict::Fits,
            _ if self.is_unused() => Verdict::Fits,
            DifferenceKind::Check { admits: false, .. }
            | DifferenceKind::IndexMissing { .. }
            | DifferenceKind::ViewChanged
            | DifferenceKind::Equates { .. } => Verdict::Warning,
            _ => Verdict::Refuses,
        }
    }

    /// Whether `Service::migrate` refuses the database because of the difference.
    pub const fn is_refused(&self) -> bool {
        if !self.is_managed {
            return matches!(self.verdict(), Verdict::Refuses);
        }
        !self.is_created()
            && !self.is_unused()
            && !matches!(self.what, DifferenceKind::Check { .. } | DifferenceKind::Equates { .. })
    }

    /// Whether the difference is something harmless that no resource needs.
    pub const fn is_unused(&self) -> bool {
        matches!(
            self.what,
            DifferenceKind::ColumnUnused { required: false, .. }
                | DifferenceKind::UniqueUnused { .. }
                | DifferenceKind::ForeignKeyUnused { .. }
                | DifferenceKind::IndexUnused { .. }
                | DifferenceKind::SearchUnused { .. }
        )
    }

    /// Whether `Service::migrate` resolves the difference by itself.
    pub const fn is_created(&self) -> bool {
        self.is_managed
            && matches!(
                self.what,
                DifferenceKind::TableMissing
                    | DifferenceKind::IndexMissing { .. }
                    | DifferenceKind::SearchMissing { .. }
                    | DifferenceKind::SearchIncomplete { .. }
                    | DifferenceKind::ViewMissing
                    | DifferenceKind::ViewChanged
            )
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table;
        if let Some(shard) = &self.shard {
            write!(f, "shard `{shard}`, ")?;
        }
        match self.what.column() {
            Some(column) if self.what.is_of_view() => write!(f, "view `{table}`, column `{column}`: {}", self.what),
            Some(column) => write!(f, "table `{table}`, column `{column}`: {}", self.what),
            None => match &self.what {
                DifferenceKind::IndexTaken { index, .. } => {
                    write!(f, "index `{index}`: is there, must be on `{table}` ({})", self.what)
                }
                DifferenceKind::IndexMissing { index, .. } => {
                    write!(f, "index `{index}`: is missing on `{table}` ({})", self.what)
                }
                DifferenceKind::IndexUnused { index, columns } => {
                    write!(f, "index `{index}` on `{table}` ({}): {}", Names(columns), self.what)
                }
                DifferenceKind::UniqueMissing { columns, .. } | DifferenceKind::UniqueUnused { columns, .. } => {
                    write!(f, "table `{table}`, columns {}: {}", Names(columns), self.what)
                }
                what if what.is_of_view() => write!(f, "view `{table}`: {what}"),
                what => write!(f, "table `{table}`: {what}"),
            },
        }
    }
}

impl DifferenceKind {
    /// Verdict on a resource whose table is another program's: unreadable records are refused; what another struct, a
    /// migration or an index would resolve is a warning.
    const fn verdict_on_unmanaged(&self) -> Verdict {
        match self {
            Self::UniqueUnused { .. }
            | Self::ForeignKeyUnused { .. }
            | Self::IndexUnused { .. }
            | Self::SearchUnused { .. }
            | Self::SearchIncomplete { .. }
            | Self::Check { admits: true, .. } => Verdict::Fits,
            Self::Narrower { .. }
            | Self::Null { .. }
            | Self::DefaultMissing { .. }
            | Self::Collation { .. }
            | Self::Equates { .. }
            | Self::ForeignKeyMissing { .. }
            | Self::OnDelete { .. }
            | Self::KeyNotAssigned { .. }
            | Self::UniqueMissing { .. }
            | Self::IndexMissing { .. }
            | Self::IndexTaken { .. }
            | Self::SearchMissing { .. }
            | Self::Check { admits: false, .. }
            | Self::ColumnUnused { .. } => Verdict::Warning,
            _ => Verdict::Refuses,
        }
    }

    /// Whether the difference is in a view.
    const fn is_of_view(&self) -> bool {
        matches!(
            self,
            Self::ViewMissing
                | Self::ViewChanged
                | Self::NoView { .. }
                | Self::ViewOfOthers
                | Self::ViewWithoutSql
                | Self::ExistingViewMissing
                | Self::ViewColumn { .. }
                | Self::ViewReads { .. }
        )
    }

    /// The column with the difference, if it is a single one.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::ColumnMissing { column }
            | Self::ColumnRenamed { column, .. }
            | Self::ViewColumn { column, .. }
            | Self::Type { column, .. }
            | Self::Narrower { column, .. }
            | Self::Equates { column, .. }
            | Self::Null { column, .. }
            | Self::DefaultMissing { column, .. }
            | Self::Generated { column }
            | Self::NotFilled { column }
            | Self::KeyNotReturned { column }
            | Self::Collation { column, .. }
            | Self::ForeignKeyMissing { column, .. }
            | Self::OnDelete { column, .. }
            | Self::TargetMissing { column, .. }
            | Self::ForeignKeyUnused { column, .. }
            | Self::Check { column, .. } => Some(column),
            Self::ColumnUnused { column, .. } => Some(column),
            Self::UniqueMissing { columns, .. } | Self::UniqueUnused { columns, .. } => match columns.as_slice() {
                [column] => Some(column),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The difference, without its place.
impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TableMissing | Self::ColumnMissing { .. } | Self::ViewMissing => f.write_str("is missing"),
            Self::TableNear { other } => write!(
                f,
                "is missing, and `{other}` has records and no struct: if that is the table, write its name in `table = \"…\"`; \
                 if a new one is meant, add `new` to `table(…)`"
            ),
            Self::SchemaMissing { schema } => write!(f, "its schema `{schema}` is missing"),
            Self::TableRenamed { from } | Self::ColumnRenamed { from, .. } => {
                write!(f, "is still called `{from}`: `migrate diff` writes the rename")
            }
            Self::ViewChanged => f.write_str("its query is not the struct's"),
            Self::NoView { is } => write!(f, "is a {is}, must be a view"),
            Self::ViewOfOthers => f.write_str(
                "is there, and no service has made it: read it as it is, by `table(unmanaged)` in place of `view(…)`, or give this one \
                 another `table`",
            ),
            Self::ViewWithoutSql => f.write_str("has no SQL for this database: add it to `view(…)`"),
            Self::ExistingViewMissing => f.write_str("is missing, and its struct has no SQL that would create it"),
            Self::ViewReads { table, resource, through } => {
                f.write_str(if through.is_some() { "may read" } else { "reads" })?;
                write!(f, " `{table}`, the table of {resource}, whose records have tenants, owners or scopes")?;
                if let Some(through) = through {
                    write!(f, ", by {through}")?;
                }
                write!(f, ": add `{resource}` to `reads(…)`")
            }
            Self::NoTable { is } => write!(f, "is a {is}, must be a table"),
            Self::Type { is, must_be, .. } if is.is_empty() => write!(f, "is without type, must be {must_be}"),
            Self::Type { is, must_be, .. } | Self::ViewColumn { is, must_be, .. } => {
                write!(f, "is {is}, must be {must_be}")
            }
            Self::Narrower { is, must_be, .. } => write!(f, "is {is}, which keeps less than {must_be}"),
            Self::Equates { collation, .. } => write!(
                f,
                "is COLLATE {collation}, to which different texts are equal, in filters and in UNIQUE"
            ),
            Self::Null { must_allow: true, .. } => f.write_str("is NOT NULL, must allow null"),
            Self::Null { must_allow: false, .. } => f.write_str("allows null, must be NOT NULL"),
            Self::DefaultMissing { resource, .. } => {
                write!(f, "has no DEFAULT, and {resource} creates records of the table without it")
            }
            Self::Generated { .. } => f.write_str(
                "is generated, so that no statement may set it: its field needs `#[crud(read_only, default(database))]`",
            ),
            Self::NotFilled { .. } => f.write_str(
                "is NOT NULL without a DEFAULT or a trigger that fills it in, and its field has `default(database)`",
            ),
            Self::KeyNotReturned { .. } => f.write_str(
                "is a key that this database fills in and does not return: remove `default(database)` from its field",
            ),
            Self::Collation { is, must_be, .. } => write!(f, "is COLLATE {is}, must be COLLATE {must_be}"),
            Self::ForeignKeyMissing { columns, target, key, on_delete, .. } if !columns.is_empty() => {
                write!(f, "must have a foreign key of {} to `{target}` ({}) ON DELETE {on_delete}", Names(columns), Names(key))
            }
            Self::ForeignKeyMissing { target, key, on_delete, .. } => {
                write!(f, "must have a foreign key to `{target}` ({}) ON DELETE {on_delete}", Names(key))
            }
            Self::OnDelete { is, must_be, .. } => {
                write!(f, "its foreign key is ON DELETE {is}, must be ON DELETE {must_be}")
            }
            Self::TargetMissing { target, .. } => write!(f, "refers to table `{target}`, which is missing"),
            Self::Key { is, must_be } if is.is_empty() => write!(f, "has no primary key, must have {}", Names(must_be)),
            Self::Key { is, must_be } => write!(f, "its primary key is {}, must be {}", Names(is), Names(must_be)),
            Self::KeyNotAssigned { column, must_be } => write!(f, "its key `{column}` must be {must_be}"),
            Self::UniqueMissing { columns, active, case_insensitive } => {
                f.write_str(if columns.len() == 1 { "must be UNIQUE" } else { "must be UNIQUE together" })?;
                in_any_case(f, columns, case_insensitive)?;
                f.write_str(if *active { " among the records that are not deleted" } else { "" })
            }
            Self::UniqueUnused { columns, case_insensitive } => {
                f.write_str(if columns.len() == 1 { "is UNIQUE" } else { "are UNIQUE together" })?;
                in_any_case(f, columns, case_insensitive)?;
                f.write_str(", and no field asks for it")
            }
            Self::ForeignKeyUnused { target, .. } => write!(f, "has a foreign key to `{target}`, and no field"),
            Self::IndexMissing { columns, .. } | Self::IndexTaken { columns, .. } => Names(columns).fmt(f),
            Self::IndexUnused { .. } => f.write_str("serves no list of the structs"),
            Self::SearchMissing { columns } => write!(f, "has no search index on {}", Names(columns)),
            Self::SearchUnused { index } => write!(f, "has the search index `{index}`, and no struct asks for it"),
            Self::SearchIncomplete { index } => {
                write!(
                    f,
                    "its search index `{index}` lacks a trigger, or has one with another body: words that have changed since are not found"
                )
            }
            Self::Check { is, must_be, .. } => match (is, must_be) {
                (None, Some(wanted)) => write!(f, "has no CHECK, must have CHECK ({wanted})"),
                (Some(is), None) => write!(f, "has CHECK ({is}), must have none"),
                (is, wanted) => {
                    let text = |check: &Option<String>| check.clone().unwrap_or_default();
                    write!(f, "has CHECK ({}), must have CHECK ({})", text(is), text(wanted))
                }
            },
            Self::ColumnUnused { required: true, .. } => f.write_str("is NOT NULL without default, and no field"),
            Self::ColumnUnused { required: false, .. } => f.write_str("is in no field"),
        }
    }
}

/// Writes the columns whose text is unique in any letter case.
fn in_any_case(f: &mut fmt::Formatter<'_>, columns: &[&str], case_insensitive: &[&str]) -> fmt::Result {
    match case_insensitive {
        [] => Ok(()),
        _ if columns.len() == 1 => f.write_str(" in any letter case"),
        some => write!(f, ", {} in any letter case", Names(some)),
    }
}

/// `` `a`, `b` ``.
struct Names<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Names<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            write!(f, "{}`{name}`", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
