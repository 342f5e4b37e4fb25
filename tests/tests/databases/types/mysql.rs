//! Types of MySQL and MariaDB: `CHAR(36)` and `BINARY(16)`, `DATETIME`, `ENUM`, `SET`, `BIT`, `YEAR`, `UUID`, `INET6`, types without a sign.

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, on_each_sql_server};
use serde_json::json;

use crate::types::{fields, prepare};

const TABLE: &str = "
    CREATE TABLE parts (
        id int unsigned AUTO_INCREMENT PRIMARY KEY,
        token char(36) NOT NULL,
        bare char(32) NOT NULL,
        raw binary(16) NOT NULL,
        made datetime NOT NULL,
        seen bigint NOT NULL,
        size enum('small','large') NOT NULL,
        colours set('red','blue') NOT NULL,
        used bit(1) NOT NULL DEFAULT b'0',
        vintage year,
        stock bigint unsigned NOT NULL,
        level tinyint unsigned NOT NULL,
        address varchar(39) NOT NULL DEFAULT ''
    );
    INSERT INTO parts VALUES
        (1, '0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F', '0192f0c17a5b7c3d8e4f5a6b7c8d9e0f',
         x'0192f0c17a5b7c3d8e4f5a6b7c8d9e0f', '2021-01-01 12:00:00', 1609459200, 'large', 'red,blue', 1, 1999,
         9223372036854775807, 255, 'a'),
        (2, '0292F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F', '0292f0c17a5b7c3d8e4f5a6b7c8d9e0f',
         x'0292f0c17a5b7c3d8e4f5a6b7c8d9e0f', '2022-01-01 12:00:00', 1609459260, 'small', '', 0, NULL, 0, 0, 'b');
";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "parts", filter, sort, pagination(cursor))]
struct Part {
    id: i64,
    #[crud(column(format = "uppercase"))]
    token: Uuid,
    #[crud(column(format = "simple"))]
    bare: Uuid,
    raw: Uuid,
    made: NaiveDateTime,
    #[crud(column(format = "unix"))]
    seen: DateTime<Utc>,
    size: Size,
    colours: String,
    #[crud(default = false)]
    used: bool,
    vintage: Option<i16>,
    stock: u64,
    level: u8,
    #[crud(default = "")]
    address: String,
}

#[test]
fn values_are_read_written_and_compared() {
    on_each_sql_server(async |database| {
        if database.backend() != Backend::MySql {
            return;
        }
        prepare(database, TABLE).await;
        let service = database.service().await.resource::<Part>().check_schema().await.expect("types that can be read");
        let api = Api::start(database, service).await;
        let uuid = "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f";
        let expected = json!({
            "id": 1, "token": uuid, "bare": uuid, "raw": uuid, "made": "2021-01-01T12:00:00.000000",
            "seen": "2021-01-01T00:00:00.000000Z", "size": "large", "colours": "red,blue", "used": true, "vintage": 1999,
            "stock": i64::MAX, "level": 255, "address": "a",
        });
        assert_eq!(api.get("/parts/1").await.ok(), expected);
        for filter in [
            format!("token={uuid}"),
            format!("bare={uuid}"),
            format!("raw={uuid}"),
            "made=2021-01-01T12:00:00".to_owned(),
            "made__lt=2021-06-01T00:00:00".to_owned(),
            "seen=2021-01-01T00:00:00Z".to_owned(),
            "seen__lte=2021-01-01T00:00:30Z".to_owned(),
            "size=large".to_owned(),
            "colours=red,blue".to_owned(),
            "used=true".to_owned(),
            "vintage=1999".to_owned(),
            "level__gt=200".to_owned(),
        ] {
            let page = api.get(format!("/parts?{filter}")).await.ok();
            assert_eq!(fields(&page, "id"), [1], "{filter}");
        }
        let other = "0392f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f";
        let body = json!({
            "token": other, "bare": other, "raw": other, "made": "2023-01-01T12:00:00", "seen": "2021-01-01T00:02:00Z",
            "size": "small", "colours": "blue", "used": true, "vintage": 2001, "stock": 3, "level": 4,
        });
        let part = api.post("/parts", &body).await.created();
        assert_eq!(part["token"], other);
        let stored = database
            .texts("SELECT CONCAT(token, ' ', bare, ' ', HEX(raw), ' ', made, ' ', seen, ' ', used + 0) FROM parts WHERE id = 3")
            .await;
        let digits = other.replace('-', "");
        let (upper, hex) = (other.to_uppercase(), digits.to_uppercase());
        assert_eq!(stored, [format!("{upper} {digits} {hex} 2023-01-01 12:00:00 1609459320 1")]);
        api.patch("/parts/3", &json!({ "level": 256 })).await.problem("validation_failed");
        for sort in ["token", "seen", "made", "stock"] {
            let first = api.get(format!("/parts?limit=2&sort={sort},id")).await.ok();
            let next = first["next_cursor"].as_str().expect("a cursor").to_owned();
            let second = api.get(format!("/parts?limit=2&sort={sort},id&cursor={next}")).await.ok();
            assert_eq!(first["data"].as_array().map(Vec::len), Some(2), "{sort}");
            assert_eq!(second["data"].as_array().map(Vec::len), Some(1), "{sort}");
        }
        api.stop().await;
    });
}

/// Types that MariaDB alone has.
const OF_MARIADB: &str = "
    CREATE TABLE devices (id bigint AUTO_INCREMENT PRIMARY KEY, token uuid NOT NULL, address inet6 NOT NULL);
    INSERT INTO devices (token, address) VALUES
        ('0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f', '::1'), ('0292f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f', '2001:db8::1')";

#[derive(Debug, Clone, Resource)]
#[crud(table("devices", unmanaged), filter, sort, pagination(cursor), audit)]
struct Device {
    id: i64,
    #[crud(column(format = "lowercase"))]
    token: Uuid,
    #[crud(column(sql_type = "inet6"))]
    address: String,
}

#[test]
fn uuids_and_addresses_of_mariadb_are_read_written_and_compared() {
    on_each_sql_server(async |database| {
        if database.backend() != Backend::MySql {
            return;
        }
        prepare(database, "SELECT 1").await;
        if !database.try_execute(OF_MARIADB).await {
            return; // MySQL, or a version before 10.7
        }
        let service = database.service().await.resource::<Device>();
        let service = service.migrate().await.expect("types that can be read");
        let api = Api::start(database, service).await;
        let token = "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f";
        assert_eq!(api.get("/devices/1").await.ok(), json!({ "id": 1, "token": token, "address": "::1" }));
        for filter in [format!("token={token}"), "address=::1".to_owned(), "address__lt=2001:db8::1".to_owned()] {
            assert_eq!(fields(&api.get(format!("/devices?{filter}")).await.ok(), "id"), [1], "{filter}");
        }
        let body = json!({ "token": "0092f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f", "address": "2001:0DB8::0002" });
        let device = api.post("/devices", &body).await.created();
        assert_eq!((&device["token"], &device["address"]), (&body["token"], &json!("2001:db8::2")));
        for (sort, expected) in [("token", [3, 1, 2]), ("address", [1, 2, 3]), ("-address", [3, 2, 1])] {
            let (mut found, mut path) = (Vec::new(), format!("/devices?limit=1&sort={sort}"));
            loop {
                let page = api.get(&path).await.ok();
                found.extend(fields(&page, "id"));
                let Some(cursor) = page["next_cursor"].as_str() else { break };
                path = format!("/devices?limit=1&sort={sort}&cursor={cursor}");
            }
            assert_eq!(found, expected, "{sort}");
        }
        let history = api.get("/devices/3/history").await.ok();
        assert_eq!(history["data"][0]["changes"], device, "{history}");
        api.stop().await;
    });
}
