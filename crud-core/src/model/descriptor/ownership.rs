//! [`Ownership`]: whose the table of a resource is.

use super::Descriptor;
use super::statements::Statements;
use crud_shared::dialect::{Dialect, MYSQL, POSTGRES, SQLITE};
use crud_shared::table;

/// Owner of a resource's table: what a service does where it is missing, or differs from the struct.
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
    /// The program's: `Service::migrate` creates what it lacks.
    #[default]
    Program,
    /// The program's, meant to be created beside one of nearly the same name that has records.
    NewTable,
    /// The service's own, such as the audit log, in the schema of `Service::service_schema`, which is created with it.
    Service,
    /// Another program's: nothing of it is created or altered.
    Unmanaged,
}

impl Descriptor {
    /// Whether the service creates the table and what it lacks.
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

    /// The resource with another owner of its table. It is never freed: a program has few.
    #[doc(hidden)]
    pub fn with_ownership(&self, ownership: Ownership) -> &'static Self {
        Box::leak(Box::new(Self { ownership, ..self.clone() }))
    }

    /// The service's own resource in a schema. It is never freed: a program has few.
    #[doc(hidden)]
    pub fn in_schema(&self, schema: &str) -> &'static Self {
        let name: &'static str = table::joined(Some(schema), self.own_table()).leak();
        let moved = |statements: &Option<Statements>, dialect| {
            statements.as_ref().map(|statements| in_table(statements, dialect, self.table, name))
        };
        Box::leak(Box::new(Self {
            table: name,
            ownership: Ownership::Service,
            sqlite: moved(&self.sqlite, SQLITE),
            postgres: moved(&self.postgres, POSTGRES),
            mysql: moved(&self.mysql, MYSQL),
            ..self.clone()
        }))
    }
}

/// Statements on another table, whose name follows `FROM` or `INTO`.
fn in_table(statements: &Statements, dialect: Dialect, from: &str, to: &str) -> Statements {
    let quoted = |table| {
        let mut text = String::new();
        dialect.push_table(&mut text, table);
        text
    };
    let (from, to) = (quoted(from), quoted(to));
    let moved = |text: &'static str| -> &'static str {
        let keyword = if text.starts_with("INSERT ") { "INTO" } else { "FROM" };
        text.replacen(&format!(" {keyword} {from}"), &format!(" {keyword} {to}"), 1).leak()
    };
    Statements {
        select: moved(statements.select),
        get: moved(statements.get),
        insert: moved(statements.insert),
        delete: moved(statements.delete),
        ..*statements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_another_schema_differ_in_the_table_alone() {
        let select = r#"SELECT "id", "audit_logs" FROM "audit_logs""#;
        let get = r#"SELECT "id", "audit_logs" FROM "audit_logs" WHERE "id" = $1"#;
        let insert = r#"INSERT INTO "audit_logs" ("audit_logs") VALUES ($1) RETURNING "id""#;
        let delete = r#"DELETE FROM "audit_logs" WHERE "id" = $1 RETURNING "id""#;
        let resource = Descriptor::new("AuditRecord", "crud", "/audit", "audit_logs", &[], 0).postgres(
            select,
            get,
            insert,
            &[1],
            r#" RETURNING "id""#,
            delete,
        );
        let moved = resource.in_schema("crud");
        assert_eq!((moved.table, moved.schema(), moved.own_table()), ("crud.audit_logs", Some("crud"), "audit_logs"));
        let statements = moved.postgres.expect("statements");
        assert_eq!(statements.select, r#"SELECT "id", "audit_logs" FROM "crud"."audit_logs""#);
        assert_eq!(statements.get, r#"SELECT "id", "audit_logs" FROM "crud"."audit_logs" WHERE "id" = $1"#);
        assert_eq!(statements.insert, r#"INSERT INTO "crud"."audit_logs" ("audit_logs") VALUES ($1) RETURNING "id""#);
        assert_eq!(statements.delete, r#"DELETE FROM "crud"."audit_logs" WHERE "id" = $1 RETURNING "id""#);
        assert_eq!(statements.returning, r#" RETURNING "id""#);
    }
}
