//! Names of schemas and operations: each depends on its own struct, and two equal ones are an error at start.

use std::collections::{BTreeMap, BTreeSet};

use crud_runtime::access::Access;
use crud_runtime::adapter::Capabilities;
use crud_runtime::auth::Auth;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::openapi::{Document, Info};
use crud_runtime::prelude::*;
use crud_runtime::routing::{self, Context};
use crud_runtime::{ResourceOptions, Result, Service};
use crud_tests::{Api, kitchen, on_each_transactional_backend};
use serde_json::{Value, json};

use crate::resources::on_each;

/// The document of some resources.
fn document<'a>(resources: impl IntoIterator<Item = &'a &'static Descriptor>) -> Value {
    let options: Vec<_> = resources.into_iter().map(|resource| ResourceOptions::new(resource)).collect();
    let capabilities = Capabilities::new().with_transactions();
    let document = Document::new(&Info::new("Names", "1"), &options, None, false, capabilities);
    serde_json::from_slice(&document.json("")).expect("JSON")
}

/// The references in a value.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// The names that each operation and each member of a schema has and refers to, by their places.
fn names(document: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut names = BTreeMap::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations").iter().filter(|(key, _)| *key != "parameters")
        {
            let mut found = BTreeSet::from([operation["operationId"].to_string()]);
            references(operation, &mut found);
            names.insert(format!("{method} {path}"), found);
        }
    }
    for (schema, of) in document["components"]["schemas"].as_object().expect("schemas") {
        names.insert(schema.clone(), BTreeSet::new());
        for (member, of) in of["properties"].as_object().into_iter().flatten() {
            let mut found = BTreeSet::new();
            references(of, &mut found);
            names.insert(format!("{schema}/{member}"), found);
        }
    }
    names
}

struct Mailbox;

impl repair::Mailer for Mailbox {
    fn send(&self, _: &str, _: &str) -> std::result::Result<(), String> {
        Ok(())
    }
}

#[test]
fn resource_that_is_added_renames_nothing() {
    on_each(async |database, _| {
        let service = || database.service();
        let examples = [
            shop::shop(service().await),
            realworld::service(service().await, "a secret of at least thirty-two bytes").expect("the service"),
            repair::repair(service().await, Mailbox),
            tracker::tracker(service().await),
            kitchen::kitchen(service().await),
        ];
        for service in examples {
            let resources: Vec<_> = service.descriptors().collect();
            let whole = names(&document(&resources));
            for added in &resources {
                let others = document(resources.iter().filter(|other| !std::ptr::eq(**other, *added)));
                for (place, found) in names(&others) {
                    let in_whole = whole.get(&place).unwrap_or_else(|| panic!("{place} without {}", added.name));
                    let lost: Vec<_> = found.difference(in_whole).collect();
                    assert_eq!(lost, [""; 0], "{place}, when {} is added", added.name);
                }
            }
        }
    });
}

/// A space, whose equipment a junction has.
#[derive(Debug, Clone, Resource)]
#[crud(filter, many_to_many(equipment(SpaceEquipment)))]
struct Space {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "gear", filter)]
struct Equipment {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(filter, unique(space_id, equipment_id))]
struct SpaceEquipment {
    id: i64,
    #[crud(references(Space))]
    space_id: i64,
    #[crud(references(Equipment))]
    equipment_id: i64,
}

#[test]
fn junction_that_is_named_after_both_sides_renames_neither() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Space>().resource::<Equipment>().resource::<SpaceEquipment>();
        let document = service.without_auth().openapi_json().expect("no collision");
        let id = |method: &str, path: &str| document["paths"][path][method]["operationId"].clone();
        assert_eq!(id("get", "/spaces/{id}"), "getSpace");
        assert_eq!(id("get", "/space_equipment/{id}"), "getSpaceEquipment");
        assert_eq!(id("get", "/spaces/{id}/equipment"), "getEquipmentOfSpace");
        let schemas = &document["components"]["schemas"];
        for schema in ["Space", "SpaceWhere", "SpaceEquipment", "SpaceEquipmentWhere", "EquipmentFilter"] {
            assert!(schemas[schema].is_object(), "{schema}");
        }
    });
}

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
enum Role {
    Reader,
    Owner,
}

#[derive(Debug, Clone, Resource)]
struct Invitation {
    id: i64,
    role: Role,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "role_holders", prefix = "/role-holders")]
struct Holder {
    id: i64,
    role: Role,
    former_role: Option<Role>,
}

#[test]
fn enum_field_has_the_name_of_its_own_struct() {
    let document = document([&Invitation::DESCRIPTOR, &Holder::DESCRIPTOR]);
    let schemas = &document["components"]["schemas"];
    let role = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    assert_eq!(schemas["Invitation"]["properties"]["role"], role("InvitationRole"));
    assert_eq!(schemas["Holder"]["properties"]["role"], role("HolderRole"));
    assert_eq!(schemas["Holder"]["properties"]["former_role"]["oneOf"][0], role("HolderRole"));
}

/// A list of tasks: its name is that of a page of tasks.
#[derive(Debug, Clone, Resource)]
struct ErrandList {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(pagination)]
struct Errand {
    id: i64,
    name: String,
}

mod renamed {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(pagination, api_name = "SmallErrand")]
    pub(super) struct Errand {
        pub(super) id: i64,
        pub(super) name: String,
    }
}

#[derive(Debug, Clone, Resource)]
struct Problem {
    id: i64,
}

async fn ready(_: Context) -> Result<()> {
    Ok(())
}

#[test]
fn two_equal_names_are_an_error_at_start_that_says_what_renames_one() {
    on_each(async |database, _| {
        let refused = |service: Service| service.without_auth().into_router().unwrap_err().to_string();
        let service = || database.service();
        let of_lists = refused(service().await.resource::<Errand>().resource::<ErrandList>());
        assert_eq!(
            of_lists,
            "two schemas of the document would be named `ErrandList`, of rules::document_names::Errand and of \
             rules::document_names::ErrandList: name one by `#[crud(api_name = \"…\")]` on the struct"
        );
        let of_service = refused(service().await.resource::<Problem>());
        assert!(
            of_service.contains("`Problem`, of the service itself and of rules::document_names::Problem"),
            "{of_service}"
        );
        let route = routing::get(ready).access(Access::Public);
        let of_route = refused(service().await.resource::<Errand>().route("/errand", route));
        assert!(
            of_route.contains("two operations of the document would be named `getErrand`")
                && of_route.contains("`.operation_id(\"…\")` on the route"),
            "{of_route}"
        );
    });
}

#[derive(Debug, Clone, Resource)]
struct Profile {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct User {
    id: i64,
}

#[test]
fn resources_may_be_named_as_the_service_names_its_users() {
    on_each(async |database, _| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let service = database
            .service()
            .await
            .auth(auth)
            .access(|access| access.users_role("admin"))
            .resource::<Profile>()
            .resource::<User>();
        let document = service.openapi_json().expect("the document");
        assert_eq!(document["paths"]["/profiles/{id}"]["get"]["operationId"], "getProfile");
        assert_eq!(document["paths"]["/profile"]["get"]["operationId"], "getServiceProfile");
        assert_eq!(document["paths"]["/users"]["get"]["operationId"], "listUsers");
        drop(service.into_router().expect("no name is taken"));
    });
}

#[test]
fn stated_name_is_that_of_schemas_and_operations() {
    on_each(async |database, _| {
        let service = database.service().await.resource::<renamed::Errand>().resource::<ErrandList>().without_auth();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let document = api.get("/openapi.json").await.ok();
        let errands = &document["paths"]["/errands"];
        assert_eq!(errands["get"]["operationId"], "listSmallErrands");
        assert_eq!(errands["post"]["operationId"], "createSmallErrand");
        assert!(document["components"]["schemas"]["SmallErrandList"].is_object());
        api.post("/errands", &json!({ "name": "a" })).await.created();
        api.stop().await;
    });
}
