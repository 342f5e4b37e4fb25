//! `migrate` creates what is missing and rejects what differs.

use crud_runtime::adapter::MigrateError;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Service};
use serde_json::Value;
use sqlx::MySqlPool;

use crate::mysql::support::{execute, on_mysql, texts};

#[derive(Debug, Clone, Resource)]
#[crud(table = "things", filter, sort, soft_delete)]
struct Thing {
    id: i64,
    #[crud(length(max = 20))]
    name: String,
    #[crud(unique(active))]
    code: Option<String>,
    note: String,
    #[crud(range(min = 0), default = 7)]
    amount: u32,
    #[crud(decimal(8, 2))]
    price: Option<Decimal>,
    tags: Vec<String>,
    extra: Option<Value>,
    #[crud(references(Thing, on_delete(set_null)))]
    parent_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

const CREATE: &str = "CREATE TABLE `things` (
    `id` bigint AUTO_INCREMENT PRIMARY KEY, `name` varchar(20) NOT NULL, `code` varchar(50), `note` longtext NOT NULL,
    `amount` bigint NOT NULL, `price` decimal(8,2), `tags` longtext NOT NULL, `extra` longtext, `parent_id` bigint,
    `deleted_at` datetime(6), `crud_active` tinyint AS (IF(`deleted_at` IS NULL, 1, NULL)) VIRTUAL,
    CONSTRAINT parents FOREIGN KEY (`parent_id`) REFERENCES `things` (`id`) ON DELETE SET NULL,
    UNIQUE KEY `codes` (`code`, `crud_active`))
    DEFAULT CHARSET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;";

async fn migrate(database: &crud_tests::Database) -> Result<Service, Vec<String>> {
    match database.service().await.resource::<Thing>().migrate().await {
        Ok(service) => Ok(service),
        Err(Error::Migrate(MigrateError::Mismatch(lines))) => Err(lines),
        Err(error) => panic!("{error}"),
    }
}

/// The part of a table's schema that both databases report alike.
async fn schema(pool: &MySqlPool) -> Vec<String> {
    let mut lines = texts(
        pool,
        "SELECT CONCAT(COLUMN_NAME, ' ', DATA_TYPE, ' ', IS_NULLABLE, ' ', COALESCE(CHARACTER_MAXIMUM_LENGTH, '')) \
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'things' \
         ORDER BY ORDINAL_POSITION",
    )
    .await;
    lines.extend(
        texts(
            pool,
            "SELECT CONCAT(IF(MAX(NON_UNIQUE), '', 'unique '), INDEX_NAME, ' (', GROUP_CONCAT(CONCAT(COLUMN_NAME, \
             COALESCE(CONCAT('(', SUB_PART, ')'), '')) ORDER BY SEQ_IN_INDEX), ')') FROM information_schema.STATISTICS \
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'things' GROUP BY INDEX_NAME ORDER BY 1",
        )
        .await,
    );
    lines.extend(
        texts(
            pool,
            "SELECT CONCAT(CONSTRAINT_NAME, ' ', CONSTRAINT_TYPE) FROM information_schema.TABLE_CONSTRAINTS \
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'things' ORDER BY 1",
        )
        .await,
    );
    lines
}

#[test]
fn table_is_created_from_the_struct() {
    on_mysql(async |database, pool| {
        drop(migrate(database).await.unwrap());
        let schema = schema(pool).await.join("\n");
        for line in [
            "id bigint NO ",
            "name varchar NO 20",
            "code varchar YES 255",
            "note longtext NO 4294967295",
            "amount bigint NO ",
            "price decimal YES ",
            "deleted_at datetime YES ",
            "unique ux_things__code (code,crud_active)",
            "ix_things__deleted_at__name (deleted_at,name)",
            "ix_things__deleted_at__note (deleted_at,note(255))",
            "ix_things__deleted_at (deleted_at)",
            "ix_things__parent_id (parent_id)",
            "check_things__name CHECK",
            "check_things__amount CHECK",
            "check_things__tags CHECK",
        ] {
            assert!(schema.lines().any(|other| other == line), "{line}\nis not in\n{schema}");
        }
    });
}

#[test]
fn second_start_changes_nothing() {
    on_mysql(async |database, pool| {
        drop(migrate(database).await.unwrap());
        let before = schema(pool).await;
        assert_eq!(migrate(database).await.unwrap().plan().await.unwrap(), Vec::<String>::new());
        assert_eq!(schema(pool).await, before);
    });
}

#[test]
fn existing_table_gets_missing_indexes() {
    on_mysql(async |database, pool| {
        execute(pool, CREATE).await;
        execute(pool, "ALTER TABLE things MODIFY price decimal(12,2)").await;
        execute(pool, "CREATE INDEX by_name ON things (deleted_at, name)").await;
        drop(migrate(database).await.unwrap());
        let indexes = texts(
            pool,
            "SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS \
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'things'",
        )
        .await;
        assert!(indexes.contains(&"ix_things__deleted_at__amount".to_owned()), "{indexes:?}");
        let served = "ix_things__deleted_at__name".to_owned();
        assert!(!indexes.contains(&served), "an index serves already: {indexes:?}");
    });
}

#[test]
fn every_difference_is_reported_and_nothing_changed() {
    let at = |column: &str, line: &str| format!("table `things`, column `{column}`: {line}");
    for (change, line) in [
        ("DROP COLUMN price", at("price", "is missing")),
        ("MODIFY price decimal(8,3)", at("price", "is decimal(8,3), must be DECIMAL(8,2)")),
        ("MODIFY price decimal(7,2)", at("price", "is decimal(7,2), must be DECIMAL(8,2)")),
        ("MODIFY name varchar(20) NULL", at("name", "allows null, must be NOT NULL")),
        ("MODIFY extra longtext NOT NULL", at("extra", "is NOT NULL, must allow null")),
        (
            "MODIFY name varchar(20) COLLATE utf8mb4_general_ci NOT NULL",
            at(
                "name",
                "is COLLATE utf8mb4_general_ci, must be COLLATE utf8mb4_nopad_bin (MariaDB) or utf8mb4_0900_bin (MySQL)",
            ),
        ),
        ("MODIFY deleted_at datetime(3)", at("deleted_at", "is datetime(3), must be DATETIME(6)")),
        ("DROP FOREIGN KEY parents", at("parent_id", "must have a foreign key to `things` (`id`) ON DELETE SET NULL")),
        ("ADD COLUMN owner int NOT NULL", at("owner", "is NOT NULL without default, and no field")),
        (
            "DROP KEY codes",
            "table `things`, column `code`: must be UNIQUE among the records that are not deleted".to_owned(),
        ),
    ] {
        on_mysql(async |database, pool| {
            execute(pool, CREATE).await;
            execute(pool, &format!("ALTER TABLE things {change}")).await;
            let before = schema(pool).await;
            assert_eq!(migrate(database).await.unwrap_err(), [line.as_str()], "{change}");
            assert_eq!(schema(pool).await, before, "{change}");
        });
    }
}

#[test]
fn key_must_be_auto_increment_and_a_table_not_a_view() {
    for (change, line) in [
        (
            "ALTER TABLE things DROP FOREIGN KEY parents; ALTER TABLE things MODIFY id bigint NOT NULL; \
             ALTER TABLE things ADD FOREIGN KEY (parent_id) REFERENCES things (id) ON DELETE SET NULL",
            "table `things`: its key `id` must be AUTO_INCREMENT, so that the database assigns it",
        ),
        (
            "RENAME TABLE things TO others; CREATE VIEW things AS SELECT * FROM others",
            "table `things`: is a view, must be a table",
        ),
    ] {
        on_mysql(async |database, pool| {
            execute(pool, CREATE).await;
            execute(pool, change).await;
            assert_eq!(migrate(database).await.unwrap_err(), [line], "{change}");
        });
    }
}

#[test]
fn concurrent_starts_wait_for_each_other() {
    on_mysql(async |database, pool| {
        let mut starts = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let service = database.service().await.resource::<Thing>();
            starts.spawn(async { service.migrate().await.map(drop) });
        }
        while let Some(start) = starts.join_next().await {
            start.unwrap().unwrap();
        }
        let tables = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()";
        assert_eq!(texts(pool, tables).await, ["things"]);
    });
}
