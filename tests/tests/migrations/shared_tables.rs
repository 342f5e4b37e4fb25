//! Several structs of one table, such as two versions of an API: storage has one description of it.

use crud_runtime::prelude::*;
use crud_runtime::schema::DifferenceKind;
use crud_tests::{Api, Database, on_each_sql_backend};
use serde_json::{Value, json};

use crate::support::{Directory, error_text};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", prefix = "/v1/people", api_name = "FormerPerson", filter(phone))]
    pub(crate) struct Person {
        pub(crate) id: i64,
        #[crud(length(max = 40))]
        pub(crate) phone: String,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", prefix = "/v2/people", filter(language), sort(language), search(nickname))]
    pub(crate) struct Person {
        pub(crate) id: i64,
        #[crud(column = "phone", length(max = 60))]
        pub(crate) telephone: String,
        #[crud(default = "en", validate(one_of("en", "de")))]
        pub(crate) language: String,
        pub(crate) nickname: Option<String>,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Person>()
}

async fn both(database: &Database) -> Service {
    database.service().await.resource::<v1::Person>().resource::<v2::Person>()
}

async fn reversed(database: &Database) -> Service {
    database.service().await.resource::<v2::Person>().resource::<v1::Person>()
}

fn of_version<'a>(records: &'a Value, id: &Value) -> &'a Value {
    let records = records.as_array().expect("a list");
    records.iter().find(|record| record["id"] == *id).expect("the record")
}

#[test]
fn versions_of_an_api_read_and_write_the_records_of_each_other() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the first version starts");
        let new = v1::NewPerson { phone: "+49 1".to_owned() };
        let ada = service.store::<v1::Person>().create(new).await.expect("a person");
        drop(service);

        let service = both(database).await;
        let up = directory.write_migration(&service).await.up();
        assert!(!up.contains("RENAME COLUMN"), "{up}");
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), [], "the table has what both want");
        assert_eq!(reversed(database).await.migrations().diff().await.expect("a comparison"), [], "in either order");
        assert_eq!(
            first(database)
                .await
                .migrations()
                .diff()
                .await
                .expect("a comparison")
                .iter()
                .filter(|one| one.is_refused())
                .count(),
            0
        );

        let service = service.migrations_from(directory.path()).migrate().await.expect("both versions start");
        let api = Api::start(database, service.without_auth()).await;
        let old = api.get(format!("/v2/people/{}", ada.id)).await.ok();
        let expected = json!({ "id": ada.id, "telephone": "+49 1", "language": "en", "nickname": null });
        assert_eq!(old, expected, "the record from before");
        let grace = api.post("/v1/people", &json!({ "phone": "+1 2" })).await.created();
        let path = format!("/v2/people/{}", grace["id"]);
        let changed = api.patch(path.as_str(), &json!({ "nickname": "Amazing Grace", "language": "de" })).await.ok();
        assert_eq!(changed["telephone"], "+1 2");
        api.put(format!("/v1/people/{}", grace["id"]), &json!({ "phone": "+1 3" })).await.ok();
        let kept = api.get(path.as_str()).await.ok();
        assert_eq!(
            (&kept["telephone"], &kept["nickname"], &kept["language"]),
            (&json!("+1 3"), &json!("Amazing Grace"), &json!("de"))
        );
        let found = api.get("/v2/people?q=amazing").await.ok();
        assert_eq!(of_version(&found, &grace["id"]), &kept);
        assert_eq!(api.get("/v1/people?phone=%2B1%203").await.ok().as_array().map(Vec::len), Some(1));

        // Each version has its own rules, and the database admits what one of them admits.
        let long = "5".repeat(50);
        api.post("/v1/people", &json!({ "phone": long })).await.problem("validation_failed");
        let created = api.post("/v2/people", &json!({ "telephone": long })).await.created();
        assert_eq!(api.get(format!("/v1/people/{}", created["id"])).await.ok()["phone"], long);
        api.post("/v2/people", &json!({ "telephone": "6", "language": "fr" })).await.problem("validation_failed");
        api.stop().await;
    });
}

#[test]
fn start_creates_the_table_of_both_versions() {
    on_each_sql_backend(async |database| {
        let service = reversed(database).await.migrate().await.expect("both versions start");
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!(both(database).await.plan().await.expect("a plan"), Vec::<String>::new());
        let person =
            service.store::<v1::Person>().create(v1::NewPerson { phone: "1".to_owned() }).await.expect("a person");
        assert_eq!(service.store::<v2::Person>().get(person.id).await.expect("the person").language, "en");
    });
}

mod stricter {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", prefix = "/v1/people", filter(phone))]
    pub(crate) struct Person {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) phone: String,
        #[crud(column(backfill = 7))]
        pub(crate) rank: i32,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", prefix = "/v2/people", filter(language), sort(language), search(nickname))]
    pub(crate) struct Member {
        pub(crate) id: i64,
        #[crud(column = "phone", length(max = 60))]
        pub(crate) telephone: String,
        #[crud(default = "en", validate(one_of("en", "de")))]
        pub(crate) language: String,
        pub(crate) nickname: Option<String>,
        pub(crate) rank: i32,
    }
}

#[test]
fn change_of_one_version_keeps_the_columns_of_the_other() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = both(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("both versions start");
        let new = v2::NewPerson {
            telephone: "1".to_owned(),
            language: Some("de".to_owned()),
            nickname: Some("Ada".to_owned()),
        };
        let ada = service.store::<v2::Person>().create(new).await.expect("a person");
        drop(service);
        let service = database.service().await.resource::<stricter::Person>().resource::<stricter::Member>();
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        let service = service.migrate().await.expect("the changed versions start");
        let kept = service.store::<stricter::Member>().get(ada.id).await.expect("the person");
        let expected = stricter::Member {
            id: ada.id,
            telephone: "1".to_owned(),
            language: "de".to_owned(),
            nickname: Some("Ada".to_owned()),
            rank: 7,
        };
        assert_eq!(kept, expected);
        directory.revert(&service).await;
        drop(service);
        let service = both(database).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), [], "everything is as it was");
        assert_eq!(service.store::<v2::Person>().get(ada.id).await.expect("the person"), ada);
    });
}

#[test]
fn column_that_the_other_version_leaves_out_needs_a_default() {
    mod alone {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "people", prefix = "/v2/people")]
        pub(crate) struct Person {
            pub(crate) id: i64,
            pub(crate) phone: String,
            #[crud(length(max = 20))]
            pub(crate) language: String,
        }
    }
    mod beside {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "people", prefix = "/v1/people")]
        pub(crate) struct Person {
            pub(crate) id: i64,
            pub(crate) phone: String,
        }

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "people", prefix = "/v2/people")]
        pub(crate) struct Member {
            pub(crate) id: i64,
            pub(crate) phone: String,
            #[crud(length(max = 20), default = "en")]
            pub(crate) language: String,
        }
    }
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = database.service().await.resource::<alone::Person>();
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the program starts");
        let new = alone::NewPerson { phone: "1".to_owned(), language: "de".to_owned() };
        let ada = service.store::<alone::Person>().create(new).await.expect("a person");
        drop(service);

        let program = async || database.service().await.resource::<beside::Person>().resource::<beside::Member>();
        let error = error_text(program().await.migrate().await);
        let line =
            "table `people`, column `language`: has no DEFAULT, and Person creates records of the table without it";
        assert!(error.contains(line), "{error}");
        let service = program().await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        let service = service.migrate().await.expect("both versions start");
        let grace = service.store::<beside::Person>().create(beside::NewPerson { phone: "2".to_owned() }).await;
        let grace = grace.expect("a person without the column").id;
        let languages = service.store::<beside::Member>().list(Select::all()).await.expect("the members");
        let languages: Vec<_> = languages.into_iter().map(|member| (member.id, member.language)).collect();
        assert_eq!(languages, [(ada.id, "de".to_owned()), (grace, "en".to_owned())]);
        directory.revert(&service).await;
        drop(service);
        let differences = program().await.migrations().diff().await.expect("a comparison");
        assert!(
            differences.iter().any(|one| matches!(one.what, DifferenceKind::DefaultMissing { column: "language", .. })),
            "{differences:?}"
        );
    });
}

/// Two structs of the table `things`, which contradict each other, and the reason.
macro_rules! contradictions {
    ($($name:ident: { $($one:tt)* } $([$($one_option:tt)*])?, { $($other:tt)* } $([$($other_option:tt)*])?, $reason:expr;)+) => { $(
        mod $name {
            use crud_runtime::prelude::*;

            use super::Target;

            #[derive(Debug, Clone, Resource)]
            #[crud(table = "things", prefix = "/v1/things", $($($one_option)*)?)]
            pub(super) struct Thing { $($one)* }

            #[derive(Debug, Clone, Resource)]
            #[crud(table = "things", prefix = "/v2/things", $($($other_option)*)?)]
            pub(super) struct Item { $($other)* }

            #[allow(dead_code)]
            type Used = Target;
        }
    )+

        async fn contradictions(database: &Database) -> Vec<(&'static str, String, &'static str)> {
            let mut found = Vec::new();
            $(
                let service = database.service().await.resource::<$name::Thing>().resource::<$name::Item>();
                found.push((stringify!($name), error_text(service.migrate().await), $reason));
            )+
            found
        }
    };
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "targets", prefix = "/targets")]
struct Target {
    id: i64,
}

contradictions! {
    types: { id: i64, a: i32 }, { id: i64, #[crud(column = "a")] b: i64 },
        "Thing.a and Item.b are one column, `things`.`a`, and one is an `i32`, the other an `i64`: give both one type";
    nullability: { id: i64, a: i32 }, { id: i64, a: Option<i32> },
        "Thing.a and Item.a are one column, `things`.`a`, and only one is an `Option`: make both one, or none";
    uniqueness: { id: i64, #[crud(unique)] a: i32 }, { id: i64, a: i32 },
        "Thing.a and Item.a are one column, `things`.`a`, and one is `unique`, the other not `unique`: give both the same";
    digits: { id: i64, #[crud(decimal(18, 2))] a: Decimal }, { id: i64, a: Decimal },
        "Thing.a and Item.a are one column, `things`.`a`, and their `decimal` differs: give both the same";
    references: { id: i64, #[crud(references(Target))] a: i64 }, { id: i64, a: i64 },
        "Thing.a and Item.a are one column, `things`.`a`, and one refers to `targets`, the other refers to nothing: give both the same `references`";
    keys: { #[crud(id)] key: i64, a: i32 }, { id: i64, a: i32 },
        "Thing and Item share the table `things`, and their keys are `key` and `id`: mark the same column with `id`";
    renames: { id: i64, phone: String }, { id: i64, #[crud(column(renamed_from = "phone"))] telephone: String },
        "Item.telephone renames the column `phone` of the table `things`, which Thing.phone still has: write \
         `column = \"phone\"` for Item.telephone, or `column(\"telephone\", renamed_from = \"phone\")` for Thing.phone";
    required: { id: i64, a: i32 }, { id: i64 },
        "Item has the table `things` of Thing, and not its field `a`, which no record can be without: make it an `Option`, \
         give it a constant `default`, add it to Item, or let Item create none (`operations(except(create))`)";
    times: { id: i64 }, { id: i64, #[crud(created_at)] created_at: DateTime<Utc> },
        "Thing has the table `things` of Item, and not its field `created_at`, which no record can be without: make it an \
         `Option`, give it a constant `default`, add it to Thing, or let Thing create none (`operations(except(create))`)";
    soft_delete: { id: i64, deleted_at: Option<DateTime<Utc>> } [soft_delete], { id: i64 },
        "Thing and Item share the table `things`, and only Thing has `soft_delete`: the other would return deleted records, so \
         give it to both";
    groups: { id: i64, a: i32, b: i32 } [unique(a, b)], { id: i64, a: i32, b: i32 },
        "Thing and Item share the table `things`, and only Thing has `unique(a, b)`: give it to both";
    words: { id: i64, a: String, b: String } [search(a)], { id: i64, a: String, b: String } [search(a, b)],
        "Thing and Item share the table `things`, and a table has one index of words: give both the same `search(…)`";
    views: { id: i64 }, { id: i64 } [view("SELECT 1 AS id", reads())],
        "Thing and Item have one name in storage, `things`, and a view shares its own with none: give it another `table`";
}

#[test]
fn structs_that_contradict_each_other_are_refused() {
    on_each_sql_backend(async |database| {
        for (name, error, reason) in contradictions(database).await {
            assert_eq!(error, reason, "{name}");
        }
    });
}

#[test]
fn version_that_creates_nothing_may_lack_a_required_column() {
    mod read_only {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "people", prefix = "/v1/people", operations(list, get))]
        pub(crate) struct Old {
            pub(crate) id: i64,
        }

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "people", prefix = "/v2/people")]
        pub(crate) struct Person {
            pub(crate) id: i64,
            pub(crate) name: String,
        }
    }
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<read_only::Old>().resource::<read_only::Person>();
        let service = service.migrate().await.expect("both versions start");
        let new = read_only::NewPerson { name: "Ada".to_owned() };
        let id = service.store::<read_only::Person>().create(new).await.expect("a person").id;
        assert_eq!(service.store::<read_only::Old>().get(id).await.expect("the person").id, id);
    });
}
