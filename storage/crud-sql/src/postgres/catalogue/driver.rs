//! PostgreSQL as a [`CatalogueDriver`]: the reader of its catalogue.

use crud_shared::table::split;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::index_reads::IndexReads;
use crate::catalogue::table::{Listed, Named, Parts, Reads, Table, fill};
use crate::identifier::table_identifier;
use crate::model::descriptor::Descriptor;
use crate::postgres::catalogue::reader::{CHECKS, COLUMNS, FOREIGN_KEYS, INDEXES, SEARCHES};
use crate::postgres::catalogue::reader::{check, foreign_key, index, kind_name, search, table};
use crate::postgres::catalogue::triggers::{TRIGGERS, trigger};
use crate::postgres::catalogue::types::add_types;
use crate::postgres::catalogue::view_reads::{READS, of_view};
use crate::postgres::catalogue::{self, by_name, index_reads, place, rights, text, texts};
use crate::postgres::dialect::Postgres;
use crate::search_index;
use crate::storage::rights::Rights;

impl CatalogueDriver for Postgres {
    /// The tables of these names on the search path.
    async fn described(
        connection: &mut PgConnection,
        names: Vec<&str>,
        parts: Parts,
    ) -> sqlx::Result<Vec<Option<Table>>> {
        let mut tables: Vec<Option<Table>> =
            by_name(connection, COLUMNS, &names, table).await?.into_iter().map(Table::whole).collect();
        if tables.iter().all(Option::is_none) {
            return Ok(tables);
        }
        fill(&mut tables, by_name(connection, INDEXES, &names, index).await?, |table, indexes| {
            let (valid, unfinished): (Vec<_>, Vec<_>) = indexes.into_iter().partition(|(_, is_valid)| *is_valid);
            table.indexes = valid.into_iter().map(|(index, _)| index).collect();
            table.unfinished = unfinished.into_iter().map(|(index, _)| index).collect();
        });
        if parts == Parts::Writes {
            let triggers = by_name(connection, TRIGGERS, &names, trigger).await?;
            fill(&mut tables, triggers, |table, triggers| table.triggers = triggers);
            return Ok(tables);
        }
        let keys = by_name(connection, FOREIGN_KEYS, &names, foreign_key).await?;
        fill(&mut tables, keys, |table, keys| table.foreign_keys = keys);
        if parts == Parts::Types {
            add_types(connection, &names, &mut tables).await?;
            return Ok(tables);
        }
        fill(&mut tables, by_name(connection, SEARCHES, &names, search).await?, |table, found| {
            table.searches = found.into_iter().filter(|search| search_index::is_name(&search.name)).collect();
        });
        if parts == Parts::Migration {
            fill(&mut tables, by_name(connection, CHECKS, &names, check).await?, |table, checks| table.checks = checks);
        }
        Ok(tables)
    }

    /// The tables or views of these names on the search path.
    async fn views(connection: &mut PgConnection, names: Vec<&str>) -> sqlx::Result<Vec<Option<Named>>> {
        const VIEWS: &str = "SELECT n.place, c.relkind::text, \
            n.name || ' AS ' || CASE c.relkind WHEN 'v' THEN rtrim(pg_get_viewdef(c.oid), ';') ELSE '' END \
            FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_class c ON c.oid = to_regclass(n.name)";
        let present = |row: &PgRow| {
            let kind = kind_name(&row.try_get::<String, _>(1)?).to_owned();
            Ok(Named { kind, view: row.try_get(2)? })
        };
        let found = by_name(connection, VIEWS, &names, present).await?;
        Ok(found.into_iter().map(|mut found| found.pop()).collect())
    }

    async fn reads(connection: &mut PgConnection, views: Vec<&str>) -> sqlx::Result<Vec<Reads>> {
        let read = |row: &PgRow| Ok((row.try_get(1)?, row.try_get(2)?));
        let found = by_name(connection, READS, &views, read).await?;
        Ok(found.into_iter().map(of_view).collect())
    }

    async fn index_reads(connection: &mut PgConnection) -> sqlx::Result<IndexReads> {
        index_reads::index_reads(connection).await
    }

    async fn rights(connection: &mut PgConnection, resources: &[&'static Descriptor]) -> sqlx::Result<Rights> {
        rights::rights(connection, resources).await
    }

    /// Lists the tables and views of a schema; of the first one on the search path, where none is named. A partition, a table of an
    /// extension and what the user may not read are left out. Tables of resources have texts that compare by code point, or
    /// constraints or indexes with the names that they get.
    async fn listed(connection: &mut PgConnection, schema: Option<&str>) -> sqlx::Result<Vec<Listed>> {
        const TABLES: &str = "SELECT c.relname::text, c.relkind IN ('r', 'p', 'f') AND \
            (has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE')), \
            has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'), \
            CASE WHEN c.relispartition THEN (SELECT p.relname::text FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent \
            WHERE i.inhrelid = c.oid) END, \
            (SELECT e.extname::text FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid \
            WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' LIMIT 1), \
            c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'SELECT'), \
            EXISTS (SELECT FROM pg_attribute a JOIN pg_collation l ON l.oid = a.attcollation \
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND l.collname = 'C') \
            OR EXISTS (SELECT FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] \
            WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conname = 'check_' || a.attname) \
            OR EXISTS (SELECT FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid WHERE i.indrelid = c.oid \
            AND (starts_with(n.relname, 'ix_' || c.relname || '__') OR starts_with(n.relname, 'ux_' || c.relname || '__'))) \
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') \
            AND n.nspname = COALESCE(NULLIF($1, ''), current_schema()) ORDER BY c.relname";
        catalogue::rows(connection, TABLES, vec![text(schema.unwrap_or_default())], |row| {
            let (parent, extension): (Option<String>, Option<String>) = (row.try_get(3)?, row.try_get(4)?);
            let left_out = match (parent, extension) {
                (Some(parent), _) => Some(format!("a partition of `{parent}`, which has its records")),
                (_, Some(extension)) => Some(format!("a table of the extension `{extension}`")),
                _ => (!row.try_get::<bool, _>(2)?).then(|| "the user may not read it".to_owned()),
            };
            let (is_table, is_known) = (row.try_get(5)?, row.try_get(6)?);
            Ok(Listed { name: row.try_get(0)?, writable: row.try_get(1)?, left_out, is_table, is_known })
        })
        .await
    }

    /// Whether there is a schema of this name.
    async fn has_schema(connection: &mut PgConnection, schema: &str) -> sqlx::Result<bool> {
        const SCHEMA: &str = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
        catalogue::one::<bool>(connection, SCHEMA, vec![text(schema)]).await
    }

    /// The tables of other schemas that have these names and can be read: those that the search path does not find, or finds first.
    async fn elsewhere(
        connection: &mut PgConnection,
        tables: Vec<&'static str>,
    ) -> sqlx::Result<Vec<(&'static str, String)>> {
        const TABLES: &str = "SELECT w.place, (n.nspname || '.' || c.relname)::text \
            FROM unnest($1::text[], $2::text[]) WITH ORDINALITY w (own, schema, place) \
            JOIN pg_class c ON c.relname = w.own JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname <> COALESCE(NULLIF(w.schema, ''), current_schema()::text, '') \
            AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' \
            AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') ORDER BY w.place, n.nspname";
        // A list has no nulls, and no schema an empty name.
        let parts = |(schema, own): (Option<&str>, &str)| (schema.unwrap_or_default().to_owned(), own.to_owned());
        let (schemas, own): (Vec<String>, Vec<String>) = tables.iter().map(|table| parts(split(table))).unzip();
        let read = |row: &PgRow| Ok((place(row, 0)?, row.try_get::<String, _>(1)?));
        let found = catalogue::rows(connection, TABLES, vec![texts(own), texts(schemas)], read).await?;
        Ok(found.into_iter().filter_map(|(place, other)| Some((*tables.get(place)?, other))).collect())
    }

    /// Whether something has this name: tables and indexes share theirs. An index that is not valid is being created, or is
    /// replaced.
    async fn is_taken(connection: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
        const TAKEN: &str = "SELECT to_regclass($1) IS NOT NULL AND NOT EXISTS \
            (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)";
        catalogue::one::<bool>(connection, TAKEN, vec![text(table_identifier::<Postgres>(name))]).await
    }
}
