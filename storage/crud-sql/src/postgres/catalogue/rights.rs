//! The rights of the connection's user.

use crud_shared::table::split;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

use crate::identifier::{identifier, identifiers};
use crate::model::descriptor::Descriptor;
use crate::postgres::catalogue::{self, texts};
use crate::postgres::dialect::Postgres;
use crate::storage::rights::Rights;

/// A column of a table that the user cannot read.
struct Denied {
    schema: String,
    /// Whether the schema itself is closed to the user.
    is_closed: bool,
    table: String,
    column: String,
    /// Whether the user may read no column of the table.
    is_whole: bool,
}

/// The columns of these tables that are there and which the user cannot read. A schema of the search path that is closed to the
/// user is not searched, so that its tables seem to be missing: where no other schema has the table, they are found by the name.
const DENIED: &str = r#"
SELECT n.nspname::text, NOT has_schema_privilege(n.oid, 'USAGE'), c.relname::text, a.attname::text,
    NOT has_any_column_privilege(c.oid, 'SELECT')
FROM unnest($1, $2, $3) AS wanted (schema_name, table_name, column_name)
JOIN pg_class c ON c.relname = wanted.table_name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = wanted.column_name AND a.attnum > 0 AND NOT a.attisdropped
WHERE CASE WHEN wanted.schema_name <> '' THEN n.nspname = wanted.schema_name
    WHEN has_schema_privilege(n.oid, 'USAGE') THEN pg_table_is_visible(c.oid)
    ELSE to_regclass(quote_ident(wanted.table_name)) IS NULL AND n.nspname = ANY (string_to_array(
        regexp_replace(replace(current_setting('search_path'), '"$user"', current_user), '["\s]', '', 'g'), ','))
    END
    AND NOT (has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT'))
ORDER BY 1, 3, a.attnum"#;

/// The user, whether the server is a standby, and whether transactions are read-only.
const USER: &str = "SELECT current_user::text, pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'";

/// The rights that the user lacks.
pub(in crate::postgres) async fn rights(
    connection: &mut PgConnection,
    resources: &[&'static Descriptor],
) -> sqlx::Result<Rights> {
    let user = |row: &PgRow| Ok((row.try_get::<String, _>(0)?, row.try_get::<bool, _>(1)?, row.try_get::<bool, _>(2)?));
    let found = catalogue::rows(connection, USER, Vec::new(), user).await?;
    let Some((user, is_standby, is_read_only)) = found.into_iter().next() else { return Ok(Rights::default()) };
    let columns = resources.iter().flat_map(|resource| {
        let (schema, table) = split(resource.table);
        let of_table = move |column: &str| (schema.unwrap_or_default().to_owned(), table.to_owned(), column.to_owned());
        resource.columns.iter().map(move |column| of_table(column.column))
    });
    let (schemas, (tables, columns)): (Vec<_>, (Vec<_>, Vec<_>)) =
        columns.map(|(schema, table, column)| (schema, (table, column))).unzip();
    let denied = |row: &PgRow| {
        let (schema, table, column) = (row.try_get(0)?, row.try_get(2)?, row.try_get(3)?);
        Ok(Denied { schema, is_closed: row.try_get(1)?, table, column, is_whole: row.try_get(4)? })
    };
    let denied =
        catalogue::rows(connection, DENIED, vec![texts(schemas), texts(tables), texts(columns)], denied).await?;
    let mut rights = Rights::of(user);
    rights.grants = grants(&denied, &identifier::<Postgres>(&rights.user));
    rights.read_only = match (is_standby, is_read_only) {
        (true, _) => Some("the server is a standby, which takes no changes".to_owned()),
        (_, true) => Some("`default_transaction_read_only` is on for the server, the database or the user".to_owned()),
        _ => None,
    };
    Ok(rights)
}

/// The statements that let the user read what is denied.
fn grants(denied: &[Denied], user: &str) -> Vec<String> {
    let mut grants = Vec::new();
    for table in denied.chunk_by(|one, other| (&one.schema, &one.table) == (&other.schema, &other.table)) {
        let [first, ..] = table else { continue };
        let schema = identifier::<Postgres>(&first.schema);
        if first.is_closed {
            grants.push(format!("GRANT USAGE ON SCHEMA {schema} TO {user}"));
        }
        let columns = if first.is_whole {
            String::new()
        } else {
            format!(" ({})", identifiers::<Postgres>(table.iter().map(|one| one.column.as_str())))
        };
        // A table in a schema that is closed may be readable by itself.
        if first.is_whole || !first.is_closed {
            grants
                .push(format!("GRANT SELECT{columns} ON {schema}.{} TO {user}", identifier::<Postgres>(&first.table)));
        }
    }
    grants.dedup();
    grants
}
