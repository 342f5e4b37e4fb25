//! Session settings and unreachable URLs.

use crud_runtime::Service;
use sqlx::mysql::MySqlPoolOptions;
use sqlx::{Connection, Executor, MySqlConnection, Row};

use crate::mysql::support::on_mysql;

#[test]
fn session_without_strict_mode_is_rejected() {
    on_mysql(async |database, _| {
        let lax = MySqlPoolOptions::new().after_connect(|connection: &mut MySqlConnection, _| {
            Box::pin(async move { connection.execute("SET SESSION sql_mode = ''").await.map(drop) })
        });
        let service = shop::open_shop(Service::from_pool(lax.connect(database.url()).await.unwrap()));
        let error = service.migrate().await.unwrap_err().to_string();
        assert!(error.contains("`sql_mode` must have STRICT_TRANS_TABLES"), "{error}");
    });
}

/// Only servers of MySQL 9.6 or later have the setting; one where it is off takes `CRUD_TEST_MYSQL`.
#[test]
fn server_that_does_not_check_references_is_rejected() {
    on_mysql(async |database, _| {
        let mut connection = MySqlConnection::connect(database.url()).await.unwrap();
        let setting = sqlx::raw_sql("SHOW VARIABLES LIKE 'innodb_native_foreign_keys'");
        let setting = setting.fetch_optional(&mut connection).await.unwrap().map(|row| row.get::<String, _>(1));
        let migrated = shop::open_shop(Service::connect(database.url()).await.unwrap()).migrate().await;
        if setting.as_deref() == Some("OFF") {
            let error = migrated.unwrap_err().to_string();
            assert!(error.contains("`innodb_native_foreign_keys` must be ON"), "{error}");
        } else {
            drop(migrated.unwrap());
        }
    });
}

#[tokio::test]
async fn unreachable_url_is_an_error_without_its_password() {
    for url in
        ["mysql://me:secret@127.0.0.1:1/shop", "mariadb://me:secret@%%%/shop", "mysql:secret", "mysql://me:secret@host"]
    {
        let error = Service::connect(url).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}
