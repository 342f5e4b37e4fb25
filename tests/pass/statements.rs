//! The fixed SQL statements of a resource.

use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(table = "the \"things\"")]
struct Thing {
    name: String,
    id: i64,
    #[crud(column = "order")]
    position: Option<i32>,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

#[derive(Resource)]
struct Tag {
    #[crud(id)]
    code: String,
}

#[derive(Resource)]
struct Empty {
    id: i32,
}

#[derive(Resource)]
struct Keyed {
    id: Uuid,
}

#[test]
fn identifiers_are_quoted_and_values_bound() {
    let sql = Thing::DESCRIPTOR.sqlite.expect("statements");
    let columns = "`name`, `id`, `order`, `created_at`";
    let table = "`the \"things\"`";
    assert_eq!(sql.columns, columns);
    assert_eq!(sql.get, format!("SELECT {columns} FROM {table} WHERE `id` = ?"));
    assert_eq!(sql.delete, format!("DELETE FROM {table} WHERE `id` = ? RETURNING {columns}"));
}

#[test]
fn insert_omits_an_autoincrement_key() {
    let sql = Thing::DESCRIPTOR.sqlite.expect("statements");
    assert_eq!(sql.insert_columns, [0, 2, 3]);
    assert!(sql.insert.contains("(`name`, `order`, `created_at`) VALUES (?, ?, ?) RETURNING `name`"));
}

#[test]
fn insert_binds_other_keys() {
    let sql = Tag::DESCRIPTOR.sqlite.expect("statements");
    assert_eq!(sql.insert, "INSERT INTO `tags` (`code`) VALUES (?) RETURNING `code`");
    assert_eq!(Keyed::DESCRIPTOR.sqlite.expect("statements").insert_columns, [0]);
}

#[test]
fn insert_without_columns_uses_default_values() {
    let sql = Empty::DESCRIPTOR.sqlite.expect("statements");
    assert_eq!(sql.insert, "INSERT INTO `empties` DEFAULT VALUES RETURNING `id`");
    assert!(sql.insert_columns.is_empty());
}

#[test]
fn postgres_placeholders_are_numbered_with_a_dollar() {
    let postgres = Thing::DESCRIPTOR.postgres.expect("statements");
    assert!(postgres.get.ends_with(r#" WHERE "id" = $1"#));
    assert!(postgres.insert.contains(r#"("name", "order", "created_at") VALUES ($1, $2, $3) RETURNING "name""#));
    assert!(postgres.delete.contains(r#" WHERE "id" = $1 RETURNING "#));
    assert!(postgres.get.starts_with(r#"SELECT "name", "id", "order", "created_at" FROM "the ""things""" WHERE "#));
}

#[test]
fn mysql_quotes_with_backticks_and_returns_on_mariadb() {
    let sql = Thing::DESCRIPTOR.mysql.expect("statements");
    assert_eq!(sql.get, "SELECT `name`, `id`, `order`, `created_at` FROM `the \"things\"` WHERE `id` = ?");
    assert!(sql.insert.contains("(`name`, `order`, `created_at`) VALUES (?, ?, ?) /*M!100500 RETURNING `name`"));
    assert_eq!(sql.delete, "DELETE FROM `the \"things\"` WHERE `id` = ?");
    let empty = Empty::DESCRIPTOR.mysql.expect("statements").insert;
    assert_eq!(empty, "INSERT INTO `empties` () VALUES () /*M!100500 RETURNING `id` */");
}

#[derive(Resource)]
struct Parcel {
    #[crud(default(database))]
    id: Uuid,
    code: String,
    #[crud(default(database))]
    state: String,
    #[crud(read_only, default(database))]
    label: String,
    #[crud(hidden, default(database))]
    checksum: Option<String>,
}

#[test]
fn no_statement_sets_what_the_database_computes() {
    let sql = Parcel::DESCRIPTOR.postgres.expect("statements");
    assert_eq!(sql.insert_columns, [1, 2]);
    assert!(
        sql.insert.starts_with(r#"INSERT INTO "parcels" ("code", "state") VALUES ($1, $2) RETURNING "id", "code""#)
    );
    let changes = crud_runtime::adapter::Changes::from(NewParcel::new("a"));
    assert_eq!(changes.iter().map(|(column, _)| column).collect::<Vec<_>>(), [1]);
    let changes = crud_runtime::adapter::Changes::from(NewParcel::new("a").state("held"));
    assert_eq!(changes.len(), 2);
}
