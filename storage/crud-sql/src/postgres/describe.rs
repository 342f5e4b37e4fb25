//! Descriptions of the tables of a schema.

use std::collections::HashMap;

use crud_shared::catalogue::{Catalogue, Column, ColumnType, ForeignKey, Kind, LeftOut, Table};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Decode, Postgres, Row, Type};

use super::PostgresAdapter;
use super::catalogue::inspect::action;
use super::error::general;
use crate::connections::Connections as _;
use crate::model::adapter_error::AdapterError;

/// Difference between a type's number of characters or digits and its modifier in the catalogue: the length of a header.
const HEADER: i32 = 4;

impl PostgresAdapter {
    /// Describes the tables and views of a schema, or those of these names; without a schema, those of the first one on the
    /// search path. What the connection's user may not read is left out.
    ///
    /// # Errors
    /// When the database cannot be reached, or has no such schema.
    #[doc(hidden)]
    pub async fn describe(url: &str, schema: Option<&str>, tables: &[String]) -> Result<Catalogue, AdapterError> {
        let adapter = Self::connect(url).await?;
        let mut lease = adapter.reader().await?;
        let Some(own) = own_schema(&mut lease, schema).await.map_err(general)? else {
            let reason = schema.map_or_else(
                || "no schema on the search path exists or may be used: name one by `--schema`".to_owned(),
                |schema| format!("there is no schema `{schema}` that the user may use"),
            );
            return Err(AdapterError::Other(reason.into()));
        };
        let described = describe(&mut lease, &own, tables).await.map_err(general)?;
        Self::release(lease);
        let schema = (!own.is_current).then_some(own.name);
        Ok(Catalogue { database: "postgres".to_owned(), schema, ..described })
    }
}

struct Schema {
    name: String,
    /// Whether it is the one that names without a schema are of.
    is_current: bool,
}

async fn own_schema(connection: &mut PgConnection, schema: Option<&str>) -> sqlx::Result<Option<Schema>> {
    const SCHEMA: &str = "SELECT nspname::text, nspname IS NOT DISTINCT FROM current_schema() FROM pg_namespace \
        WHERE nspname = COALESCE($1, current_schema()) AND has_schema_privilege(oid, 'USAGE')";
    let found = sqlx::query(SCHEMA).bind(schema).fetch_optional(connection).await?;
    found.map(|row| Ok(Schema { name: get(&row, 0)?, is_current: get(&row, 1)? })).transpose()
}

async fn describe(connection: &mut PgConnection, schema: &Schema, wanted: &[String]) -> sqlx::Result<Catalogue> {
    const TABLES: &str = "SELECT c.oid::bigint, c.relname::text, c.relkind::text, \
        has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'), \
        has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE'), \
        CASE WHEN c.relispartition THEN (SELECT p.relname::text FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent \
        WHERE i.inhrelid = c.oid) END, \
        (SELECT e.extname::text FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid \
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' LIMIT 1) \
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname = $1 AND ($2 OR c.relname = ANY ($3)) ORDER BY c.relname";
    let all =
        sqlx::query(TABLES).bind(&schema.name).bind(wanted.is_empty()).bind(wanted).fetch_all(&mut *connection).await?;
    let mut types = Types::default();
    let mut catalogue = Catalogue::default();
    for row in all {
        let (oid, name, kind): (i64, String, String) = (get(&row, 0)?, get(&row, 1)?, get(&row, 2)?);
        let (parent, extension): (Option<String>, Option<String>) = (get(&row, 5)?, get(&row, 6)?);
        let reason = match (parent, extension) {
            (Some(parent), _) => format!("a partition of `{parent}`, which has its records"),
            (_, Some(extension)) => format!("a table of the extension `{extension}`"),
            _ if !get::<bool>(&row, 3)? => "the user may not read it".to_owned(),
            _ => {
                let is_view = ["v", "m"].contains(&kind.as_str());
                match table(connection, &mut types, schema, oid).await {
                    Ok(mut table) => {
                        table.name = name;
                        table.kind = if is_view { Kind::View } else { Kind::Table };
                        table.writable = !is_view && get(&row, 4)?;
                        catalogue.tables.push(table);
                        continue;
                    }
                    // The others are described all the same.
                    Err(sqlx::Error::Database(error)) => format!("it cannot be read: {}", error.message()),
                    Err(error) => return Err(error),
                }
            }
        };
        catalogue.left_out.push(LeftOut { table: name, reason });
    }
    Ok(catalogue)
}

async fn table(connection: &mut PgConnection, types: &mut Types, schema: &Schema, oid: i64) -> sqlx::Result<Table> {
    let columns = columns(connection, types, oid).await?;
    let (mut key, mut uniques, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
    for index in indexes(connection, oid).await? {
        match index.condition {
            Some(condition) => conditions.push(condition),
            None if index.is_key => key = index.columns,
            None if index.is_unique => uniques.push(index.columns),
            None => {}
        }
    }
    let foreign_keys = foreign_keys(connection, schema, oid).await?;
    Ok(Table { columns, key, uniques, conditions, foreign_keys, ..Table::default() })
}

async fn columns(connection: &mut PgConnection, types: &mut Types, table: i64) -> sqlx::Result<Vec<Column>> {
    const COLUMNS: &str = "SELECT a.attname::text, a.atttypid::bigint, a.atttypmod, a.attnotnull, \
        pg_get_expr(d.adbin, d.adrelid), a.attidentity <> '', a.attgenerated <> '' OR a.attidentity = 'a', \
        COALESCE(NOT l.collisdeterministic, false), EXISTS (SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid \
        WHERE t.tgrelid = a.attrelid AND t.tgenabled <> 'D' AND p.pronamespace = 'pg_catalog'::regnamespace \
        AND p.proname LIKE 'tsvector\\_update\\_trigger%' \
        AND split_part(encode(t.tgargs, 'escape'), '\\000', 1) = a.attname) \
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
        LEFT JOIN pg_collation l ON l.oid = a.attcollation \
        WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped \
        AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attnum";
    let mut columns = Vec::new();
    for row in sqlx::query(COLUMNS).bind(table).fetch_all(&mut *connection).await? {
        let ty = types.column_type(connection, get(&row, 1)?, get(&row, 2)?).await?;
        let (default, identity): (Option<String>, bool) = (get(&row, 4)?, get(&row, 5)?);
        // PostgreSQL's own triggers compute a column of words on every write.
        let generated = get::<bool>(&row, 6)? || get::<bool>(&row, 8)?;
        let is_sequence = default.as_deref().is_some_and(|default| default.starts_with("nextval("));
        columns.push(Column {
            name: get(&row, 0)?,
            ty: ColumnType { folded: get(&row, 7)?, ..ty },
            not_null: get(&row, 3)?,
            assigned: identity || is_sequence,
            default: default.filter(|_| !generated),
            generated,
            samples: Vec::new(),
        });
    }
    Ok(columns)
}

struct Index {
    is_key: bool,
    is_unique: bool,
    columns: Vec<String>,
    condition: Option<String>,
}

/// The indexes of a table that are partial, or unique without expressions.
async fn indexes(connection: &mut PgConnection, table: i64) -> sqlx::Result<Vec<Index>> {
    const INDEXES: &str = "SELECT i.indisprimary, i.indisunique AND i.indexprs IS NULL AND i.indimmediate, \
        ARRAY(SELECT a.attname::text FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (number, position) \
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
        WHERE k.position <= i.indnkeyatts ORDER BY k.position), pg_get_expr(i.indpred, i.indrelid) \
        FROM pg_index i WHERE i.indrelid = $1::oid AND i.indisvalid ORDER BY i.indexrelid";
    let rows = sqlx::query(INDEXES).bind(table).fetch_all(connection).await?;
    let index = |row: &PgRow| {
        Ok(Index { is_key: get(row, 0)?, is_unique: get(row, 1)?, columns: get(row, 2)?, condition: get(row, 3)? })
    };
    rows.iter().map(index).collect()
}

async fn foreign_keys(connection: &mut PgConnection, schema: &Schema, table: i64) -> sqlx::Result<Vec<ForeignKey>> {
    const FOREIGN_KEYS: &str = "SELECT n.nspname::text, f.relname::text, c.confdeltype::text, \
        ARRAY(SELECT a.attname::text FROM generate_subscripts(c.conkey, 1) k JOIN pg_attribute a \
        ON a.attrelid = c.conrelid AND a.attnum = c.conkey[k] ORDER BY k), \
        ARRAY(SELECT a.attname::text FROM generate_subscripts(c.confkey, 1) k JOIN pg_attribute a \
        ON a.attrelid = c.confrelid AND a.attnum = c.confkey[k] ORDER BY k) \
        FROM pg_constraint c JOIN pg_class f ON f.oid = c.confrelid JOIN pg_namespace n ON n.oid = f.relnamespace \
        WHERE c.conrelid = $1::oid AND c.contype = 'f' AND NOT EXISTS (SELECT FROM pg_inherits i \
        WHERE i.inhrelid = c.confrelid) ORDER BY c.oid";
    let rows = sqlx::query(FOREIGN_KEYS).bind(table).fetch_all(connection).await?;
    let key = |row: &PgRow| {
        let other: String = get(row, 0)?;
        Ok(ForeignKey {
            columns: get(row, 3)?,
            schema: (other != schema.name).then_some(other),
            table: get(row, 1)?,
            references: get(row, 4)?,
            on_delete: action(&get::<String>(row, 2)?),
        })
    };
    rows.iter().map(key).collect()
}

/// The types that columns have had.
#[derive(Default)]
struct Types(HashMap<i64, PgType>);

#[derive(Clone)]
struct PgType {
    name: String,
    /// A letter: `b`ase, `c`omposite, `d`omain, `e`num, `p`seudo, `r`ange, `m`ultirange.
    kind: String,
    /// The type below a domain, and its modifier.
    base: Option<(i64, i32)>,
    element: Option<i64>,
    labels: Vec<String>,
}

impl Types {
    async fn column_type(
        &mut self,
        connection: &mut PgConnection,
        oid: i64,
        modifier: i32,
    ) -> sqlx::Result<ColumnType> {
        const SPELT: &str = "SELECT format_type($1::oid, $2)";
        let spelt = sqlx::query(SPELT).bind(oid).bind(modifier).fetch_one(&mut *connection).await?;
        let mut described = ColumnType { declared: get(&spelt, 0)?, ..ColumnType::default() };
        let (mut ty, mut modifier) = (self.find(connection, oid).await?, modifier);
        loop {
            if let Some((base, of_base)) = ty.base {
                described.domain = true;
                (ty, modifier) = (self.find(connection, base).await?, of_base);
            } else if let Some(element) = ty.element {
                described.array = true;
                ty = self.find(connection, element).await?;
            } else {
                break;
            }
        }
        let number = modifier - HEADER;
        if number >= 0 {
            match ty.name.as_str() {
                "varchar" | "bpchar" => described.length = number.try_into().ok(),
                "numeric" => {
                    described.precision = u32::try_from((number >> 16) & 0xffff).ok();
                    // Eleven bits with a sign.
                    described.scale = Some(((number & 0x7ff) ^ 0x400) - 0x400);
                }
                _ => {}
            }
        }
        described.labels = ty.labels;
        described.base = match ty.kind.as_str() {
            "c" => "composite".to_owned(),
            "e" => "enum".to_owned(),
            _ => ty.name,
        };
        Ok(described)
    }

    async fn find(&mut self, connection: &mut PgConnection, oid: i64) -> sqlx::Result<PgType> {
        const TYPE: &str = "SELECT t.typname::text, t.typtype::text, t.typbasetype::bigint, t.typtypmod, \
            CASE WHEN t.typcategory = 'A' AND t.typtype = 'b' THEN t.typelem::bigint ELSE 0 END, \
            ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder) \
            FROM pg_type t WHERE t.oid = $1::oid";
        if let Some(known) = self.0.get(&oid) {
            return Ok(known.clone());
        }
        let row = sqlx::query(TYPE).bind(oid).fetch_one(connection).await?;
        let (base, element): (i64, i64) = (get(&row, 2)?, get(&row, 4)?);
        let found = PgType {
            name: get(&row, 0)?,
            kind: get(&row, 1)?,
            base: (base != 0).then_some((base, get(&row, 3)?)),
            element: (element != 0).then_some(element),
            labels: get(&row, 5)?,
        };
        self.0.insert(oid, found.clone());
        Ok(found)
    }
}

fn get<'r, T: Decode<'r, Postgres> + Type<Postgres>>(row: &'r PgRow, column: usize) -> sqlx::Result<T> {
    row.try_get(column)
}
