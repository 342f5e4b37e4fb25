//! Session settings and unreachable URLs.

use crud_runtime::Service;
use sqlx::mysql::MySqlPoolOptions;
use sqlx::{Executor, MySqlConnection};

use crate::support::on_mysql;

#[test]
fn session_without_strict_mode_is_rejected() {
    on_mysql(async |database, _| {
        let lax = MySqlPoolOptions::new().after_connect(|connection: &mut MySqlConnection, _| {
            Box::pin(async move { connection.execute("SET SESSION sql_mode = ''").await.map(drop) })
        });
        let service = shop::shop(Service::pool(lax.connect(database.url()).await.unwrap()));
        let error = service.migrate().await.unwrap_err().to_string();
        assert!(error.contains("`sql_mode` must have STRICT_TRANS_TABLES"), "{error}");
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
