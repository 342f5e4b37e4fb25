use axum::Json;
use axum::routing::get;
use crud_runtime::prelude::*;
use crud_runtime::routing::{self, Context, Created};
use crud_runtime::utoipa::openapi::path::{HttpMethod, Operation as DocumentedOperation};
use crud_runtime::utoipa::openapi::{Info, OpenApi, Paths};
use crud_runtime::utoipa::{PartialSchema, ToSchema};
use crud_runtime::{Page, Result, Service, openapi};
use crud_tests::{Api, Database};
use serde_json::{Value, json};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::resources::on_each;

/// A note on a wall.
#[derive(Debug, Clone, Resource)]
#[crud(derive(ToSchema), table = "wall_notes")]
struct Note {
    id: i64,
    /// The text.
    text: String,
}

/// Takes a note from the wall.
#[utoipa::path(get, path = "/wall/first", responses((status = 200, description = "The note.", body = Note)))]
async fn first() -> Json<Value> {
    Json(json!({ "id": 1, "text": "first" }))
}

async fn service(database: &Database) -> Service {
    database.service().await.resource::<Note>().migrate().await.unwrap()
}

fn with_path(path: &str) -> OpenApi {
    let mut paths = Paths::new();
    paths.add_path_operation(path, vec![HttpMethod::Get], DocumentedOperation::new());
    OpenApi::new(Info::new("Own", "1"), paths)
}

#[test]
fn routes_of_utoipa_axum_are_in_the_service_and_its_document() {
    on_each(async |database, _| {
        let (router, document) = OpenApiRouter::new().routes(routes!(first)).split_for_parts();
        let api =
            Api::start(database, service(database).await.merge(router).openapi(|options| options.merge(document)))
                .await;
        assert_eq!(api.get("/wall/first").await.ok()["text"], "first");
        let document = api.get("/openapi.json").await.ok();
        let answer = &document["paths"]["/wall/first"]["get"]["responses"]["200"]["content"]["application/json"];
        assert_eq!(answer["schema"]["$ref"], "#/components/schemas/Note");
        assert!(document["paths"]["/notes/{id}"]["get"].is_object());
        assert_eq!(document["components"]["schemas"]["Note"]["description"], "A note on a wall.");
        api.stop().await;
    });
}

#[test]
fn operation_in_both_documents_is_refused_at_start() {
    on_each(async |database, _| {
        let error =
            service(database).await.openapi(|document| document.merge(with_path("/notes"))).into_router().unwrap_err();
        assert!(error.to_string().contains("`GET /notes` is in both documents"), "{error}");
    });
}

#[test]
fn schema_of_the_services_name_is_taken_if_it_means_the_same() {
    on_each(async |database, _| {
        let document = service(database).await.openapi_document().unwrap();
        let mut own = serde_json::to_value(&document).unwrap();
        own["paths"] = json!({});
        // Utoipa does not read schemas of any value, such as those of a JSON Patch.
        own["components"] = json!({ "schemas": { "Note": own["components"]["schemas"]["Note"] } });
        let note = &mut own["components"]["schemas"]["Note"];
        note["description"] = json!("Another sentence.");
        note["required"].as_array_mut().unwrap().reverse();
        let mut merged = document.clone();
        openapi::merge(&mut merged, serde_json::from_value(own.clone()).unwrap()).unwrap();
        assert_eq!(merged.components, document.components, "the service's stays");
        own["components"]["schemas"]["Note"]["required"] = json!(["id"]);
        let error = openapi::merge(&mut merged, serde_json::from_value(own).unwrap()).unwrap_err();
        let reason = "two documents do not merge: the schema `Note` differs in the two documents";
        assert_eq!(error.to_string(), reason);
    });
}

#[test]
fn application_takes_the_services_document() {
    on_each(async |database, _| {
        let service = service(database).await;
        let mut document = with_path("/hello");
        openapi::merge(&mut document, service.openapi_document().unwrap()).unwrap();
        let app = axum::Router::new().route("/hello", get(async || "hello")).merge(service.into_router().unwrap());
        let paths: Vec<&String> = document.paths.paths.keys().collect();
        assert_eq!(paths[..3], ["/hello", "/notes", "/notes/{id}"]);
        assert!(document.components.is_some_and(|components| components.parameters.contains_key("IfMatch")));
        drop(app);
    });
}

#[test]
fn struct_and_inputs_have_the_schemas_of_the_document() {
    let names = [Note::name(), NewNote::name(), NotePatch::name()];
    assert_eq!(names, ["Note", "NoteCreate", "NotePatch"]);
    let create = serde_json::to_value(NewNote::schema()).unwrap();
    assert_eq!(
        (&create["required"], &create["properties"]["text"]["description"]),
        (&json!(["text"]), &json!("The text."))
    );
}

/// A diary, which HTTP has by the program's routes alone.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
struct Diary {
    id: i64,
    /// The text.
    text: String,
    #[crud(hidden)]
    secret: Option<String>,
}

async fn write_diary(ctx: Context) -> Result<Created<Diary>> {
    ctx.store::<Diary>().create(NewDiary { text: "Monday".into(), secret: None }).await.map(Created)
}

async fn first_diary(ctx: Context) -> Result<Option<Diary>> {
    ctx.store::<Diary>().first(Diary::FIELDS.id.asc()).await
}

async fn diaries(ctx: Context) -> Result<Page<Diary>> {
    ctx.store::<Diary>().page(Diary::FIELDS.id.asc()).await
}

#[test]
fn records_of_an_internal_resource_have_its_schema() {
    on_each(async |database, _| {
        let service = database.service().await.resource::<Diary>().migrate().await.unwrap();
        let service = service
            .route("/diaries/write", routing::post(write_diary))
            .route("/diaries/first", routing::get(first_diary))
            .route("/diaries/all", routing::get(diaries));
        let api = Api::start(database, service).await;
        let document = api.get("/openapi.json").await.ok();
        let schema = &document["components"]["schemas"]["Diary"];
        assert_eq!(schema["required"], json!(["id", "text"]), "{schema}");
        assert_eq!(schema["properties"]["text"]["description"], "The text.");
        let answer = |method: &str, path: &str, status: &str| {
            let answers = &document["paths"][format!("/diaries/{path}")][method]["responses"];
            answers[status]["content"]["application/json"]["schema"].clone()
        };
        let reference = json!({ "$ref": "#/components/schemas/Diary" });
        assert_eq!(answer("post", "write", "201"), reference);
        assert_eq!(answer("get", "first", "200"), reference);
        assert_eq!(answer("get", "all", "200")["properties"]["data"]["items"], reference);
        let written = api.post("/diaries/write", &json!({})).await.created();
        assert_eq!(written, json!({ "id": 1, "text": "Monday" }));
        assert_eq!(api.get("/diaries/all").await.ok()["data"], json!([{ "id": 1, "text": "Monday" }]));
        api.stop().await;
    });
}
