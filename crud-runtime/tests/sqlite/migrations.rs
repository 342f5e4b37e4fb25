//! `migrate` creates what is missing and rejects what differs.

use std::sync::OnceLock;

use chrono::{DateTime, Utc};
use crud_runtime::adapter::{Administration, MigrateError, SqliteAdapter, SqlitePoolAdapter};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, Literal, OnDelete, Role, Rule, UniqueGroup, Uniqueness};
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use uuid::Uuid;

use crate::support::{column, file, get, id, insert, leak_descriptor, resource, text, url};

fn shops() -> &'static Descriptor {
    static SHOPS: OnceLock<&Descriptor> = OnceLock::new();
    SHOPS.get_or_init(|| {
        leak_descriptor(resource("shops", vec![id(), column::<String>("name").unique(Uniqueness::All)]))
    })
}

fn goods() -> &'static Descriptor {
    leak_descriptor(
        resource(
            "goods",
            vec![
                id(),
                column::<String>("name").filterable().sortable().rules(&[Rule::MinLength(1), Rule::MaxLength(200)]),
                column::<Option<String>>("code").unique(Uniqueness::All).filterable(),
                column::<f64>("price").filterable().sortable().rules(&[Rule::Min(Literal::Int(0))]),
                column::<Option<Decimal>>("cost").digits(6, 2),
                column::<i32>("stock").default(|| Value::Int(0)).filterable(),
                column::<bool>("good"),
                column::<i64>("shop_id").references(shops, OnDelete::Cascade),
                column::<DateTime<Utc>>("created_at").role(Role::CreatedAt).sortable(),
                column::<Option<serde_json::Value>>("extra"),
            ],
        )
        .uniques(const { &[UniqueGroup::new(&[7, 1], Uniqueness::All)] })
        .indexes(&[&[3, 5]]),
    )
}

async fn memory() -> SqlitePool {
    SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap()
}

/// The SQL of the database's schema.
async fn schema(pool: &SqlitePool) -> Vec<String> {
    let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid";
    sqlx::query(schema).fetch_all(pool).await.unwrap().iter().map(|row| row.get(0)).collect()
}

/// The mismatches of resources with a database that these statements created.
async fn mismatches(resources: &[&'static Descriptor], statements: &'static str) -> Vec<String> {
    let pool = memory().await;
    sqlx::raw_sql(statements).execute(&pool).await.unwrap();
    let before = schema(&pool).await;
    let lines = match SqlitePoolAdapter::new(pool.clone()).migrate(resources).await {
        Ok(()) => return Vec::new(),
        Err(MigrateError::Mismatch(lines)) => lines,
        Err(other) => panic!("{other:?}"),
    };
    assert_eq!(schema(&pool).await, before, "a rejected migration changed the schema");
    lines
}

#[tokio::test]
async fn tables_are_created_from_the_structs() {
    let pool = memory().await;
    SqlitePoolAdapter::new(pool.clone()).migrate(&[shops(), goods()]).await.unwrap();
    let expected = "CREATE TABLE `shops` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `name` TEXT NOT NULL,
  UNIQUE (`name`)
) STRICT
CREATE TABLE `goods` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `name` TEXT NOT NULL CONSTRAINT `check_name` CHECK (length(`name`) >= 1 AND length(`name`) <= 200),
  `code` TEXT,
  `price` REAL NOT NULL CONSTRAINT `check_price` CHECK (`price` >= 0),
  `cost` INTEGER CONSTRAINT `check_cost` CHECK (`cost` BETWEEN -999999 AND 999999 /* units of 1/10^2 */),
  `stock` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_stock` CHECK (`stock` BETWEEN -2147483648 AND 2147483647),
  `good` INTEGER NOT NULL CONSTRAINT `check_good` CHECK (`good` IN (0, 1)),
  `shop_id` INTEGER NOT NULL REFERENCES `shops` (`id`) ON DELETE CASCADE,
  `created_at` TEXT NOT NULL,
  `extra` TEXT CONSTRAINT `check_extra` CHECK ((`extra` IS NULL OR json_valid(`extra`))),
  UNIQUE (`code`),
  UNIQUE (`shop_id`, `name`)
) STRICT
CREATE INDEX `ix_goods__price__stock` ON `goods` (`price`, `stock`)
CREATE INDEX `ix_goods__name` ON `goods` (`name`)
CREATE INDEX `ix_goods__price` ON `goods` (`price`)
CREATE INDEX `ix_goods__stock` ON `goods` (`stock`)
CREATE INDEX `ix_goods__created_at` ON `goods` (`created_at`)";
    assert_eq!(schema(&pool).await.join("\n"), expected);
}

#[tokio::test]
async fn index_ends_with_a_key_that_is_not_the_rowid() {
    let pool = memory().await;
    let columns = vec![
        column::<Uuid>("id").role(Role::Id),
        column::<String>("name").sortable(),
        column::<String>("code").unique(Uniqueness::All).sortable(),
        column::<Option<String>>("alias").unique(Uniqueness::All).sortable(),
    ];
    SqlitePoolAdapter::new(pool.clone()).migrate(&[leak_descriptor(resource("docs", columns))]).await.unwrap();
    let expected = [
        "CREATE INDEX `ix_docs__name__id` ON `docs` (`name`, `id`)",
        "CREATE INDEX `ix_docs__alias__id` ON `docs` (`alias`, `id`)",
    ];
    let schema = schema(&pool).await;
    assert!(schema[0].contains("`id` TEXT PRIMARY KEY NOT NULL"), "{}", schema[0]);
    assert_eq!(schema[1..], expected);
}

#[tokio::test]
async fn second_migrate_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let adapter = file(&directory, &[shops(), goods()]).await;
    let pool = SqlitePool::connect(&url(&directory)).await.unwrap();
    let before = schema(&pool).await;
    adapter.migrate(&[shops(), goods()]).await.unwrap();
    let read_only = SqliteAdapter::connect(&format!("{}?mode=ro", url(&directory))).await.unwrap();
    read_only.migrate(&[shops(), goods()]).await.unwrap();
    assert_eq!(schema(&pool).await, before);
}

#[tokio::test]
async fn missing_tables_are_added_and_existing_ones_kept() {
    let pool = memory().await;
    let there = "CREATE TABLE shops (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL UNIQUE, note TEXT);
                 INSERT INTO shops (name, note) VALUES ('corner', 'kept');";
    sqlx::raw_sql(there).execute(&pool).await.unwrap();
    let adapter = SqlitePoolAdapter::new(pool.clone());
    adapter.migrate(&[shops(), goods()]).await.unwrap();
    assert_eq!(get(&adapter, shops(), &Value::Int(1)).await, Some(vec![Value::Int(1), text("corner")]));
    assert_eq!(schema(&pool).await.len(), 7);
    sqlx::raw_sql("DROP INDEX ix_goods__name").execute(&pool).await.unwrap();
    adapter.migrate(&[shops(), goods()]).await.unwrap();
    assert_eq!(schema(&pool).await.last().unwrap(), "CREATE INDEX `ix_goods__name` ON `goods` (`name`)");
}

#[tokio::test]
async fn index_is_not_added_beside_one_that_serves() {
    let pool = memory().await;
    let there =
        "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER NOT NULL, kind TEXT NOT NULL);
                 CREATE INDEX mine ON items (name);
                 CREATE INDEX wide ON items (size, kind);
                 CREATE INDEX other ON items (kind COLLATE NOCASE);
                 CREATE INDEX part ON items (kind) WHERE size > 1;";
    sqlx::raw_sql(there).execute(&pool).await.unwrap();
    let columns = vec![
        id(),
        column::<String>("name").filterable().sortable(),
        column::<i64>("size").filterable(),
        column::<String>("kind").filterable(),
    ];
    let items = leak_descriptor(resource("items", columns));
    SqlitePoolAdapter::new(pool.clone()).migrate(&[items]).await.unwrap();
    let added = &schema(&pool).await[5..];
    assert_eq!(added, ["CREATE INDEX `ix_items__kind` ON `items` (`kind`)"]);
}

#[tokio::test]
async fn every_difference_is_reported() {
    let there = "CREATE TABLE shops (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                 CREATE TABLE goods (
                     id INTEGER PRIMARY KEY, name TEXT, code INTEGER UNIQUE, price TEXT NOT NULL, cost DECIMAL(10, 2),
                     stock INTEGER NOT NULL, good NOT NULL, shop_id INTEGER NOT NULL REFERENCES shops,
                     created_at INTEGER NOT NULL, legacy TEXT NOT NULL, old TEXT NOT NULL DEFAULT '', spare TEXT,
                     twice INTEGER NOT NULL AS (stock * 2)
                 );";
    let expected = [
        "table `shops`, column `name`: must be UNIQUE",
        "table `goods`, column `name`: allows null, must be NOT NULL",
        "table `goods`, column `code`: is INTEGER, must be TEXT",
        "table `goods`, column `price`: is TEXT, must be REAL",
        "table `goods`, column `cost`: is DECIMAL(10, 2), must be INTEGER (a decimal in units of 1/10^2)",
        "table `goods`, column `good`: is without type, must be INTEGER",
        "table `goods`, column `shop_id`: its foreign key is ON DELETE NO ACTION, must be ON DELETE CASCADE",
        "table `goods`, column `created_at`: is INTEGER, must be TEXT",
        "table `goods`, column `extra`: is missing",
        "table `goods`, columns `shop_id`, `name`: must be UNIQUE together",
        "table `goods`, column `legacy`: is NOT NULL without default, and no field",
    ];
    assert_eq!(mismatches(&[shops(), goods()], there).await, expected);
}

#[tokio::test]
async fn nullability_is_compared_in_both_directions() {
    let maybe = leak_descriptor(resource("maybe", vec![id(), column::<Option<String>>("name")]));
    let there = "CREATE TABLE maybe (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '')";
    assert_eq!(mismatches(&[maybe], there).await, ["table `maybe`, column `name`: is NOT NULL, must allow null"]);
    let generated = "CREATE TABLE maybe (id INTEGER PRIMARY KEY, name TEXT AS (id || ''))";
    let expected = "table `maybe`, column `name`: is generated, so that no statement may set it: its field needs \
        `#[crud(read_only, default(database))]`";
    assert_eq!(mismatches(&[maybe], generated).await, [expected]);
}

#[tokio::test]
async fn key_must_be_assigned_by_sqlite() {
    let plain = leak_descriptor(resource("plain", vec![id()]));
    for (statement, line) in [
        ("CREATE TABLE plain (id INTEGER NOT NULL)", "has no primary key, must have `id`"),
        (
            "CREATE TABLE plain (id INT NOT NULL PRIMARY KEY)",
            "its key `id` must be INTEGER PRIMARY KEY, so that SQLite assigns it",
        ),
        (
            "CREATE TABLE plain (id INTEGER NOT NULL PRIMARY KEY) WITHOUT ROWID",
            "its key `id` must be INTEGER PRIMARY KEY, so that SQLite assigns it",
        ),
        (
            "CREATE TABLE plain (id INTEGER NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (part, id))",
            "its primary key is `part`, `id`, must be `id`",
        ),
    ] {
        assert_eq!(mismatches(&[plain], statement).await, [format!("table `plain`: {line}")], "{statement}");
    }
    let view = "CREATE VIEW plain AS SELECT 1 AS id";
    assert_eq!(mismatches(&[plain], view).await, ["table `plain`: is a view, must be a table"]);
    let keyed = leak_descriptor(resource("keyed", vec![column::<String>("slug").role(Role::Id)]));
    let there = "CREATE TABLE Keyed (Slug TEXT PRIMARY KEY) WITHOUT ROWID";
    assert_eq!(mismatches(&[keyed], there).await, [] as [&str; 0]);
}

#[tokio::test]
async fn reference_must_match_the_struct() {
    let item =
        leak_descriptor(resource("item", vec![id(), column::<i64>("shop").references(shops, OnDelete::Restrict)]));
    let wanted = "table `item`, column `shop`: must have a foreign key to `shops` (`id`) ON DELETE RESTRICT";
    for (statement, expected) in [
        ("CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER NOT NULL)", vec![wanted]),
        ("CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER NOT NULL REFERENCES other)", vec![wanted]),
        ("CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER NOT NULL REFERENCES shops (name))", vec![wanted]),
        ("CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER NOT NULL REFERENCES Shops (ID))", vec![]),
        (
            "CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER NOT NULL REFERENCES shops ON DELETE SET NULL)",
            vec!["table `item`, column `shop`: its foreign key is ON DELETE SET NULL, must be ON DELETE RESTRICT"],
        ),
    ] {
        assert_eq!(mismatches(&[shops(), item], statement).await, expected, "{statement}");
    }
    let alone = mismatches(&[item], "").await;
    assert_eq!(alone, ["table `item`, column `shop`: refers to table `shops`, which is missing"]);
}

#[tokio::test]
async fn index_of_the_same_name_must_match() {
    let item = leak_descriptor(resource("item", vec![id(), column::<i64>("size").filterable()]));
    let there = "CREATE TABLE item (id INTEGER PRIMARY KEY, size INTEGER NOT NULL);
                 CREATE INDEX ix_item__size ON item (id);";
    let expected = ["index `ix_item__size`: is there, must be on `item` (`size`)"];
    assert_eq!(mismatches(&[item], there).await, expected);
}

#[tokio::test]
async fn resources_may_refer_to_each_other() {
    fn hens() -> &'static Descriptor {
        static HENS: OnceLock<&Descriptor> = OnceLock::new();
        HENS.get_or_init(|| {
            let egg = column::<Option<i64>>("egg").references(eggs, OnDelete::SetNull);
            let mother = column::<Option<i64>>("mother").references(hens, OnDelete::Restrict);
            leak_descriptor(resource("hens", vec![id(), egg, mother]))
        })
    }
    fn eggs() -> &'static Descriptor {
        static EGGS: OnceLock<&Descriptor> = OnceLock::new();
        EGGS.get_or_init(|| {
            leak_descriptor(resource("eggs", vec![id(), column::<i64>("hen").references(hens, OnDelete::Cascade)]))
        })
    }
    let adapter = crate::support::memory(&[hens(), eggs()]).await;
    insert(&adapter, hens(), &[Value::Null, Value::Null, Value::Null]).await.unwrap();
    insert(&adapter, eggs(), &[Value::Null, Value::Int(1)]).await.unwrap();
    insert(&adapter, hens(), &[Value::Null, Value::Int(1), Value::Int(1)]).await.unwrap();
}

#[tokio::test]
async fn pool_must_enforce_foreign_keys_and_utf_8() {
    let options = SqliteConnectOptions::new().in_memory(true).foreign_keys(false).pragma("encoding", "'UTF-16le'");
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    let Err(MigrateError::Mismatch(lines)) = SqlitePoolAdapter::new(pool).migrate(&[shops()]).await else {
        panic!("expected a mismatch")
    };
    let expected = [
        "connection: `foreign_keys` is off, must be on in every connection of the pool",
        "database: its encoding is UTF-16le, must be UTF-8",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn concurrent_migrations_succeed() {
    let directory = tempfile::tempdir().unwrap();
    let url = url(&directory);
    let starts = (0..8).map(|_| {
        let url = url.clone();
        tokio::spawn(async move {
            let adapter = SqliteAdapter::connect(&url).await.unwrap();
            adapter.migrate(&[shops(), goods()]).await.unwrap();
        })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap();
    }
}
