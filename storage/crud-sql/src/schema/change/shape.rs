//! [`Shape`]: the properties of a column that can be altered.

use crate::catalogue::table::Column;
use crate::dialect::Dialect;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::ddl;

/// The type of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// The clause of its collation, where that is to be altered.
    pub(crate) collation: &'static str,
}

/// The properties of a column that can be altered.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) declared: Declared,
    pub(crate) not_null: bool,
    /// The expression after `DEFAULT`.
    pub(crate) default: Option<String>,
}

impl Shape {
    /// The shape that the field wants.
    pub(crate) fn wanted<D: Dialect>(resource: &Descriptor, column: &ColumnDescriptor) -> Self {
        let name = (D::TABLES.column_type)(resource, column).into_owned();
        let declared = Declared { name, collation: (D::TABLES.column_collation)(resource, column) };
        let default = ddl::column_default::<D>(column).map(D::TABLES.default_value);
        Self { name: column.column.to_owned(), declared, not_null: !column.nullable, default }
    }

    /// The shape of the column that is there.
    pub(crate) fn present(column: &Column) -> Self {
        let declared = Declared { name: column.declared.clone(), collation: "" };
        Self { name: column.name.clone(), declared, not_null: column.not_null, default: column.default.clone() }
    }

    /// With the default of a column that is there, where the field has none: programs of before may need it.
    pub(crate) fn keeping(self, present: &Column) -> Self {
        Self { default: self.default.or_else(|| present.default.clone()), ..self }
    }
}
