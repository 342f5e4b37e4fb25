//! PostgreSQL's [`Alteration`].

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use super::dialect::Postgres;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::storage::schema::What;
use crate::storage::sql::dialect::Dialect;
use crate::storage::sql::schema::alteration::Alteration;
use crate::storage::sql::schema::compared::Compared;
use crate::storage::sql::schema::ddl::{check_constraint, check_name, identifier};

/// The conditions of a table's CHECK constraints, by name, as the server writes them.
const CHECKS: &str = "SELECT conname::text, substring(pg_get_constraintdef(oid) FROM '^CHECK \\((.*)\\)$') \
                      FROM pg_constraint WHERE conrelid = to_regclass(quote_ident($1)) AND contype = 'c'";

/// A temporary table, from which the server's spelling of a resource's CHECK constraints is read.
const TEMPORARY: &str = "crud_wanted_checks";

pub(super) const ALTERATION: Alteration<PgConnection, sqlx::Error> = Alteration {
    widens,
    finer: |connection, compared| Box::pin(finer(connection, compared)),
    ..Alteration::standard::<Postgres>()
};

fn widens(resource: &Descriptor, column: &ColumnDescriptor, declared: &str) -> bool {
    let wanted = (Postgres::TABLES.column_type)(resource, column);
    let base = wanted.split(['(', ' ']).next().unwrap_or_default();
    matches!(
        (declared.split('(').next().unwrap_or_default(), base),
        ("smallint", "integer" | "bigint") | ("integer", "bigint") | ("real", "double") | ("character varying", "text")
    )
}

async fn finer(connection: &mut PgConnection, compared: &Compared) -> sqlx::Result<Vec<What>> {
    let resource = compared.resource;
    let present = check_constraints(connection, resource.table).await?;
    let wanted = wanted_constraints(connection, resource).await?;
    let of = |all: &[(String, String)], column: &ColumnDescriptor| {
        let name = check_name::<Postgres>(resource, column);
        all.iter().find(|(other, _)| *other == name).map(|(_, condition)| condition.clone())
    };
    let found = resource.columns.iter().filter_map(|column| {
        let (is, must_be) = (of(&present, column), of(&wanted, column));
        (is != must_be).then_some(What::Check { column: column.column, is, must_be })
    });
    Ok(found.collect())
}

/// The CHECK constraints of a table.
async fn check_constraints(connection: &mut PgConnection, table: &str) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query(CHECKS).bind(table).fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get::<Option<String>, _>(1)?.unwrap_or_default()))).collect()
}

/// The CHECK constraints that a resource wants, in the server's spelling: read from a temporary table of a transaction
/// that is rolled back.
async fn wanted_constraints(
    connection: &mut PgConnection,
    resource: &Descriptor,
) -> sqlx::Result<Vec<(String, String)>> {
    let checks = resource.columns.iter().filter(|column| column.role != Role::IsDeleted).filter_map(|column| {
        let check = check_constraint::<Postgres>(resource, column)?;
        let name = identifier::<Postgres>(column.column);
        Some(format!("{name} {} {check}", (Postgres::TABLES.column_type)(resource, column)))
    });
    let columns: Vec<String> = checks.collect();
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut transaction = connection.begin().await?;
    let create = format!("CREATE TEMPORARY TABLE {TEMPORARY} ({}) ON COMMIT DROP", columns.join(", "));
    transaction.execute(AssertSqlSafe(create)).await?;
    let wanted = check_constraints(&mut transaction, TEMPORARY).await?;
    transaction.rollback().await?;
    Ok(wanted)
}
