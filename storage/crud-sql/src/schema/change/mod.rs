//! [`Change`]: what a migration changes of a table, as data.
//!
//! A change is complete: it has what is there before and after it, so that its [inverse](Change::inverse) is known without
//! another look at the database. `planned` are the changes that belong together, `render` writes their statements, and `online`
//! those of a table that others use meanwhile.

pub(crate) mod cost;
pub(crate) mod online;
pub(crate) mod planned;
pub(crate) mod render;
pub(crate) mod shape;

use self::shape::Shape;
use crate::catalogue::table::{Check, ForeignKey};
use crate::schema::ddl::IndexDefinition;
use crate::search_index::SearchIndex;

/// A change of a table.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// Creates the table, by these statements.
    CreateTable(Vec<String>),
    DropTable,
    RenameTable {
        from: String,
        to: String,
    },
    AddColumn(Box<NewColumn>),
    DropColumn {
        column: String,
        /// The name of its CHECK constraint, if it has one.
        check: Option<String>,
    },
    AlterColumn(Box<AlteredColumn>),
    /// Sets and removes the default of a column of this shape.
    SetDefault {
        column: Shape,
        from: Option<String>,
        to: Option<String>,
    },
    RenameColumn {
        from: String,
        to: String,
        /// The CHECK constraint of the column, before and after.
        check: Option<[Check; 2]>,
    },
    /// Adds or drops a column that is computed from others, by the line of its definition.
    Generated {
        column: String,
        from: Option<String>,
        to: Option<String>,
    },
    /// Adds, replaces or drops a constraint.
    Constrain {
        name: String,
        from: Option<Constraint>,
        to: Option<Constraint>,
    },
    /// Renames a foreign key or, where this is its condition, a CHECK constraint.
    RenameConstraint {
        from: String,
        to: String,
        check: Option<String>,
    },
    /// Adds the foreign key of a new table, unless a service has created it.
    AddMissingForeignKey {
        name: String,
        key: ForeignKey,
    },
    /// Creates, replaces or drops an index; the former one has the same name.
    Index {
        from: Option<IndexDefinition>,
        to: Option<IndexDefinition>,
        /// Comment on the new one.
        note: Option<String>,
    },
    RenameIndex {
        from: String,
        to: String,
    },
    CreateSearch(SearchIndex),
    DropSearch(SearchIndex),
}

impl Change {
    /// The change that reverts this one; none where what it takes away is not kept.
    pub(crate) fn inverse(&self) -> Option<Self> {
        Some(match self.clone() {
            Self::CreateTable(_) => Self::DropTable,
            Self::RenameTable { from, to } => Self::RenameTable { from: to, to: from },
            Self::AddColumn(new) => Self::DropColumn { column: new.shape.name, check: new.check },
            Self::AlterColumn(altered) => Self::AlterColumn(Box::new(altered.inverse())),
            Self::SetDefault { column, from, to } => Self::SetDefault { column, from: to, to: from },
            Self::RenameColumn { from, to, check } => {
                Self::RenameColumn { from: to, to: from, check: check.map(|[before, after]| [after, before]) }
            }
            Self::Generated { column, from, to } => Self::Generated { column, from: to, to: from },
            Self::Constrain { name, from, to } => Self::Constrain { name, from: to, to: from },
            Self::RenameConstraint { from, to, check } => Self::RenameConstraint { from: to, to: from, check },
            Self::AddMissingForeignKey { name, key } => Self::drop_foreign_key(name, key),
            Self::Index { from, to, .. } => Self::Index { from: to, to: from, note: None },
            Self::RenameIndex { from, to } => Self::RenameIndex { from: to, to: from },
            Self::CreateSearch(search) => Self::DropSearch(search),
            Self::DropSearch(search) => Self::CreateSearch(search),
            // Their records and values are gone.
            Self::DropTable | Self::DropColumn { .. } => return None,
        })
    }

    /// A column that is dropped without anything that depends on it.
    pub(crate) fn drop_column(column: &str) -> Self {
        Self::DropColumn { column: column.to_owned(), check: None }
    }

    /// An index that is created.
    pub(crate) const fn add_index(index: IndexDefinition) -> Self {
        Self::Index { from: None, to: Some(index), note: None }
    }

    /// An index that is dropped.
    pub(crate) const fn drop_index(index: IndexDefinition) -> Self {
        Self::Index { from: Some(index), to: None, note: None }
    }

    /// The foreign key of this name, which is dropped.
    pub(crate) fn drop_foreign_key(name: String, key: ForeignKey) -> Self {
        Self::Constrain { name, from: Some(Constraint::ForeignKey(key)), to: None }
    }
}

/// The inverse of changes: each reverted, the last one first.
pub(crate) fn inverse(changes: &[Change]) -> Vec<Change> {
    changes.iter().rev().filter_map(Change::inverse).collect()
}

/// A constraint of a table, without its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Constraint {
    /// The condition of a CHECK constraint.
    Check(String),
    ForeignKey(ForeignKey),
}

/// A column that is added.
#[derive(Debug, Clone)]
pub(crate) struct NewColumn {
    pub(crate) shape: Shape,
    /// Its definition, and the constraints that are added with it.
    pub(crate) line: String,
    /// The name of its CHECK constraint.
    pub(crate) check: Option<String>,
    pub(crate) records: NewValues,
}

/// The values that the records of a table get in a new column.
#[derive(Debug, Clone)]
pub(crate) enum NewValues {
    /// Null, or the default.
    Default,
    /// That with which the column is added; it gets this default then.
    ThenDefault(String),
    /// This one.
    Value(String),
    /// That which the reader states.
    Unknown,
}

/// A column that gets another shape.
#[derive(Debug, Clone)]
pub(crate) struct AlteredColumn {
    pub(crate) from: Shape,
    pub(crate) to: Shape,
    /// The value of records that have none, where it becomes NOT NULL.
    pub(crate) fill: Option<String>,
    pub(crate) indexes: Vec<RespelledIndex>,
    /// The generated column of its text in lower case.
    pub(crate) folded: Option<AlteredFolded>,
}

impl AlteredColumn {
    /// A column that gets another shape, which no index and no other column has a part of.
    pub(crate) const fn plain(from: Shape, to: Shape) -> Self {
        Self { from, to, fill: None, indexes: Vec::new(), folded: None }
    }

    /// Whether its values get another type.
    pub(crate) fn is_retyped(&self) -> bool {
        self.from.declared != self.to.declared
    }

    /// Whether it becomes NOT NULL.
    pub(crate) const fn is_required(&self) -> bool {
        self.to.not_null && !self.from.not_null
    }

    fn inverse(self) -> Self {
        let respelled = |indexes: Vec<RespelledIndex>| indexes.into_iter().map(|[from, to]| [to, from]).collect();
        let folded = self.folded.map(|AlteredFolded { from, to, indexes }| AlteredFolded {
            from: to,
            to: from,
            indexes: respelled(indexes),
        });
        Self { from: self.to, to: self.from, fill: None, indexes: respelled(self.indexes), folded }
    }
}

/// An index that is spelled in another way once its column has another type: as it is before, and afterwards.
pub(crate) type RespelledIndex = [IndexDefinition; 2];

/// The generated column of a column that gets another type.
#[derive(Debug, Clone)]
pub(crate) struct AlteredFolded {
    /// The line of its definition before.
    pub(crate) from: String,
    /// The line of its definition afterwards.
    pub(crate) to: String,
    pub(crate) indexes: Vec<RespelledIndex>,
}
