//! [`Ownership`]: the owner of a resource's table.

use super::Descriptor;
use super::statements::Statements;
use crud_shared::dialect::{Dialect, MYSQL, POSTGRES, SQLITE};
use crud_shared::statement::{Bound, Identity, Table};
use crud_shared::table;

/// Owner of a resource's table, which decides what a service does where the table is missing or differs from the
/// struct.
///
/// ```
/// use crud_runtime::descriptor::Ownership;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(table("invoice", unmanaged, schema = "sales"))]
/// struct Invoice {
///     id: i64,
/// }
///
/// assert_eq!(Invoice::DESCRIPTOR.ownership, Ownership::Unmanaged);
/// assert_eq!(Invoice::DESCRIPTOR.table, "sales.invoice");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ownership {
    /// The program's: `Service::migrate` creates what the table lacks.
    #[default]
    Program,
    /// The program's, meant to be created beside one of nearly the same name that has records.
    NewTable,
    /// The service's own, such as the audit log, in the schema of `Service::service_schema`, which is created with it.
    Service,
    /// Another program's: the service neither creates nor alters anything of the table.
    Unmanaged,
}

impl Descriptor {
    /// Whether the service creates the table and what is missing in it.
    #[doc(hidden)]
    pub const fn is_managed(&self) -> bool {
        !matches!(self.ownership, Ownership::Unmanaged)
    }

    /// Whether texts are compared as the database's collation says.
    #[doc(hidden)]
    pub const fn follows_database(&self) -> bool {
        self.has_database_collation || !self.is_managed()
    }

    /// The schema of the table, where the resource states one.
    #[doc(hidden)]
    pub fn schema(&self) -> Option<&'static str> {
        table::split(self.table).0
    }

    /// The name of the table, without its schema.
    #[doc(hidden)]
    pub fn own_table(&self) -> &'static str {
        table::split(self.table).1
    }

    /// The resource with another owner of its table. The copy is never freed: a program has few.
    #[doc(hidden)]
    pub fn with_ownership(&self, ownership: Ownership) -> &'static Self {
        Box::leak(Box::new(Self { ownership, ..self.clone() }))
    }

    /// The service's own resource in a schema. The copy is never freed: a program has few.
    #[doc(hidden)]
    pub fn in_schema(&self, schema: &str) -> &'static Self {
        let name: &'static str = table::joined(Some(schema), self.own_table()).leak();
        let moved = |statements: Option<Statements>, dialect| {
            statements.map(|statements| self.statements_on(name, statements, dialect))
        };
        Box::leak(Box::new(Self {
            table: name,
            ownership: Ownership::Service,
            sqlite: moved(self.sqlite, SQLITE),
            postgres: moved(self.postgres, POSTGRES),
            mysql: moved(self.mysql, MYSQL),
            ..self.clone()
        }))
    }

    /// The resource without foreign keys to another one. The copy is never freed: a program has few.
    #[doc(hidden)]
    pub fn unconstrained_to(&self, target: &'static Self) -> &'static Self {
        let mut columns = self.columns.to_vec();
        for reference in columns.iter_mut().filter_map(|column| column.references.as_mut()) {
            reference.unconstrained |= std::ptr::eq((reference.target)(), target);
        }
        Box::leak(Box::new(Self { columns: columns.leak(), ..self.clone() }))
    }

    /// The fixed statements of the same columns on another table.
    fn statements_on(&self, name: &str, statements: Statements, dialect: Dialect) -> Statements {
        let table = Table { dialect, name, columns: statements.columns };
        let bound = |columns: &[usize]| -> Vec<Bound<'static>> {
            let columns = columns.iter().map(|&column| &self.columns[column]);
            columns.map(|column| Bound { column: column.column, cast: column.text_cast() }).collect()
        };
        let (key, tenant) = (bound(self.key()), self.tenant.map(|tenant| tenant.column));
        let tenant = bound(tenant.as_slice());
        let record = Identity { key: &key, tenant: tenant.first().copied() };
        Statements {
            get: table.get(record).leak(),
            insert: table.insert(&bound(statements.insert_columns)).leak(),
            delete: table.delete(record).leak(),
            ..statements
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::descriptor::ColumnDescriptor;

    #[test]
    fn statements_of_another_schema_differ_in_the_table_alone() {
        const COLUMNS: &[ColumnDescriptor] = &[
            ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id"),
            ColumnDescriptor::new::<String>("audit_logs", "audit_logs", "\"audit_logs\":", "audit_logs"),
        ];
        let columns = r#""id", "audit_logs""#;
        let get = r#"SELECT "id", "audit_logs" FROM "audit_logs" WHERE "id" = $1"#;
        let insert = r#"INSERT INTO "audit_logs" ("audit_logs") VALUES ($1) RETURNING "id", "audit_logs""#;
        let delete = r#"DELETE FROM "audit_logs" WHERE "id" = $1 RETURNING "id", "audit_logs""#;
        let resource = Descriptor::new("AuditRecord", "crud", "/audit", "audit_logs", COLUMNS, 0).postgres(
            columns,
            get,
            insert,
            &[1],
            delete,
        );
        let moved = resource.in_schema("crud");
        assert_eq!((moved.table, moved.schema(), moved.own_table()), ("crud.audit_logs", Some("crud"), "audit_logs"));
        let statements = moved.postgres.expect("statements");
        assert_eq!(statements.columns, columns);
        assert_eq!(statements.get, get.replacen(r#"FROM "audit_logs""#, r#"FROM "crud"."audit_logs""#, 1));
        assert_eq!(statements.insert, insert.replacen(r#"INTO "audit_logs""#, r#"INTO "crud"."audit_logs""#, 1));
        assert_eq!(statements.delete, delete.replacen(r#"FROM "audit_logs""#, r#"FROM "crud"."audit_logs""#, 1));
    }
}
