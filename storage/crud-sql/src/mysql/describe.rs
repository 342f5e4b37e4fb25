//! Descriptions of the tables of a database.

use crud_shared::catalogue::{Catalogue, Column, ColumnType, ForeignKey, Kind, LeftOut, Table};
use crud_shared::declared::Declared;
use sqlx::mysql::{MySqlConnection, MySqlRow};

use super::MySqlAdapter;
use super::catalogue::get;
use super::error::general;
use crate::connections::Connections as _;
use crate::model::adapter_error::AdapterError;

impl MySqlAdapter {
    /// Describes the tables and views of a database of the server, or those of these names; without a schema, of the URL's.
    /// The server shows what the user may use.
    ///
    /// # Errors
    /// When the server cannot be reached, or has no such database.
    #[doc(hidden)]
    pub async fn describe(url: &str, schema: Option<&str>, tables: &[String]) -> Result<Catalogue, AdapterError> {
        let adapter = Self::connect(url).await?;
        let mut lease = adapter.reader().await?;
        let own: Option<String> = own(&mut lease).await.map_err(general)?;
        let Some(name) = schema.map(str::to_owned).or_else(|| own.clone()) else {
            return Err(AdapterError::Other("the URL names no database: name one by `--schema`".into()));
        };
        let described = describe(&mut lease, &name, tables).await.map_err(general)?;
        Self::release(lease);
        let schema = (own.as_deref() != Some(&*name)).then_some(name);
        Ok(Catalogue { database: "mysql".to_owned(), schema, ..described })
    }
}

async fn own(connection: &mut MySqlConnection) -> sqlx::Result<Option<String>> {
    get(&sqlx::query("SELECT DATABASE()").fetch_one(connection).await?, 0)
}

async fn describe(connection: &mut MySqlConnection, schema: &str, wanted: &[String]) -> sqlx::Result<Catalogue> {
    const TABLES: &str = "SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? \
        ORDER BY TABLE_NAME";
    let mut catalogue = Catalogue::default();
    for row in sqlx::query(TABLES).bind(schema).fetch_all(&mut *connection).await? {
        let (name, kind): (String, String) = (get(&row, 0)?, get(&row, 1)?);
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        let kind = match kind.as_str() {
            "BASE TABLE" | "SYSTEM VERSIONED" => Kind::Table,
            "VIEW" | "SYSTEM VIEW" => Kind::View,
            other => {
                let reason = format!("a {}", other.to_lowercase());
                catalogue.left_out.push(LeftOut { table: name, reason });
                continue;
            }
        };
        match table(connection, schema, &name).await {
            Ok(table) => {
                let writable = kind == Kind::Table;
                catalogue.tables.push(Table { name, kind, writable, ..table });
            }
            // Such as a view whose tables are gone, or are not the user's to read. The others are described all the same.
            Err(sqlx::Error::Database(error)) => {
                let reason = format!("it cannot be read: {}", error.message());
                catalogue.left_out.push(LeftOut { table: name, reason });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(catalogue)
}

async fn table(connection: &mut MySqlConnection, schema: &str, name: &str) -> sqlx::Result<Table> {
    let json = json_columns(connection, schema, name).await?;
    let columns = columns(connection, schema, name, &json).await?;
    let mut table = Table { columns, foreign_keys: foreign_keys(connection, schema, name).await?, ..Table::default() };
    for (index, columns) in uniques(connection, schema, name).await? {
        // The beginning of a text or an expression is not unique as a column is.
        let Some(columns) = columns.into_iter().collect::<Option<Vec<_>>>() else { continue };
        if index == "PRIMARY" {
            table.key = columns;
        } else {
            table.uniques.push(columns);
        }
    }
    Ok(table)
}

async fn columns(
    connection: &mut MySqlConnection,
    schema: &str,
    table: &str,
    json: &[String],
) -> sqlx::Result<Vec<Column>> {
    const COLUMNS: &str = "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, \
        CAST(CHARACTER_MAXIMUM_LENGTH AS SIGNED), CAST(NUMERIC_PRECISION AS SIGNED), CAST(NUMERIC_SCALE AS SIGNED), \
        COALESCE(GENERATION_EXPRESSION, ''), VERSION() FROM information_schema.COLUMNS \
        WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";
    let rows = sqlx::query(COLUMNS).bind(schema).bind(table).fetch_all(connection).await?;
    let column = |row: &MySqlRow| {
        let (name, declared, extra): (String, String, String) = (get(row, 0)?, get(row, 2)?, get(row, 5)?);
        let extra = extra.to_lowercase();
        let is_json = json.contains(&name);
        let base: String = if is_json { "json".to_owned() } else { get::<String>(row, 1)?.to_lowercase() };
        let generated = !get::<String>(row, 9)?.is_empty();
        let is_number = ["decimal", "numeric"].contains(&base.as_str());
        let is_text = ["char", "varchar", "binary", "varbinary"].contains(&base.as_str());
        let number = |column: usize| get::<Option<i64>>(row, column);
        let ty = ColumnType {
            unsigned: Declared::of(&declared).unsigned,
            length: number(6)?.filter(|_| is_text).and_then(|length| length.try_into().ok()),
            precision: number(7)?.filter(|_| is_number).and_then(|digits| digits.try_into().ok()),
            scale: number(8)?.filter(|_| is_number).and_then(|digits| digits.try_into().ok()),
            labels: if base == "enum" { labels(&declared) } else { Vec::new() },
            base,
            declared,
            ..ColumnType::default()
        };
        // MariaDB has NULL as the default of a column that may be null and has none.
        let default: Option<String> = get(row, 4)?;
        let is_null = |text: &str| {
            text.eq_ignore_ascii_case("null") && get::<String>(row, 10).is_ok_and(|version| version.contains("MariaDB"))
        };
        Ok(Column {
            name,
            ty,
            not_null: get::<String>(row, 3)? == "NO",
            default: default.filter(|text| !generated && !is_null(text)),
            assigned: extra.contains("auto_increment"),
            generated,
            samples: Vec::new(),
        })
    };
    rows.iter().map(column).collect()
}

/// The texts of an enum's type: `enum('a','it''s')`.
fn labels(declared: &str) -> Vec<String> {
    let inside = declared.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(inside, _)| inside);
    let mut labels = Vec::new();
    let mut rest = inside;
    while let Some(begin) = rest.find('\'') {
        rest = &rest[begin + 1..];
        let mut label = String::new();
        while let Some(end) = rest.find('\'') {
            label.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            let Some(more) = rest.strip_prefix('\'') else { break };
            label.push('\'');
            rest = more;
        }
        labels.push(label);
    }
    labels
}

/// The columns that a CHECK keeps as JSON, which MariaDB has no type for.
async fn json_columns(connection: &mut MySqlConnection, schema: &str, table: &str) -> sqlx::Result<Vec<String>> {
    const CHECKS: &str = "SELECT c.CHECK_CLAUSE FROM information_schema.TABLE_CONSTRAINTS t \
        JOIN information_schema.CHECK_CONSTRAINTS c ON c.CONSTRAINT_SCHEMA = t.CONSTRAINT_SCHEMA \
        AND c.CONSTRAINT_NAME = t.CONSTRAINT_NAME /*M! AND c.TABLE_NAME = t.TABLE_NAME */ \
        WHERE t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ? AND t.CONSTRAINT_TYPE = 'CHECK'";
    let rows = sqlx::query(CHECKS).bind(schema).bind(table).fetch_all(connection).await?;
    let clauses = rows.iter().map(|row| get::<String>(row, 0)).collect::<sqlx::Result<Vec<_>>>()?;
    let named = |clause: &String| {
        let bare = clause.trim().trim_start_matches('(').trim_end_matches(')');
        Some(bare.strip_prefix("json_valid(`")?.strip_suffix('`')?.replace("``", "`"))
    };
    Ok(clauses.iter().filter_map(named).collect())
}

/// The columns of each unique index; none in the place of an expression and of the beginning of a text.
async fn uniques(
    connection: &mut MySqlConnection,
    schema: &str,
    table: &str,
) -> sqlx::Result<Vec<(String, Vec<Option<String>>)>> {
    const INDEXES: &str = "SELECT INDEX_NAME, IF(SUB_PART IS NULL, COLUMN_NAME, NULL) FROM information_schema.STATISTICS \
        WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX";
    let mut found: Vec<(String, Vec<Option<String>>)> = Vec::new();
    for row in sqlx::query(INDEXES).bind(schema).bind(table).fetch_all(connection).await? {
        let (name, column): (String, Option<String>) = (get(&row, 0)?, get(&row, 1)?);
        match found.last_mut() {
            Some((last, columns)) if *last == name => columns.push(column),
            _ => found.push((name, vec![column])),
        }
    }
    Ok(found)
}

async fn foreign_keys(connection: &mut MySqlConnection, schema: &str, table: &str) -> sqlx::Result<Vec<ForeignKey>> {
    const FOREIGN_KEYS: &str = "SELECT k.CONSTRAINT_NAME, k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, \
        k.COLUMN_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE FROM information_schema.KEY_COLUMN_USAGE k \
        JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = ? AND r.TABLE_NAME = ? \
        AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME \
        WHERE k.TABLE_SCHEMA = ? AND k.TABLE_NAME = ? AND k.REFERENCED_TABLE_NAME IS NOT NULL \
        ORDER BY k.CONSTRAINT_NAME, k.ORDINAL_POSITION";
    let query = sqlx::query(FOREIGN_KEYS).bind(schema).bind(table).bind(schema).bind(table);
    let mut keys: Vec<(String, ForeignKey)> = Vec::new();
    for row in query.fetch_all(connection).await? {
        let (name, other): (String, String) = (get(&row, 0)?, get(&row, 1)?);
        let (column, referenced): (String, String) = (get(&row, 3)?, get(&row, 4)?);
        match keys.last_mut() {
            Some((last, key)) if *last == name => {
                key.columns.push(column);
                key.references.push(referenced);
            }
            _ => {
                let key = ForeignKey {
                    columns: vec![column],
                    schema: (other != schema).then_some(other),
                    table: get(&row, 2)?,
                    references: vec![referenced],
                    on_delete: get(&row, 5)?,
                };
                keys.push((name, key));
            }
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

#[cfg(test)]
mod tests {
    use super::labels;

    #[test]
    fn labels_are_the_texts_of_the_type() {
        assert_eq!(labels("enum('a','it''s','b,c','')"), ["a", "it's", "b,c", ""]);
        assert_eq!(labels("int"), [""; 0]);
    }
}
