//! Field types with an attribute of their own, which bodies do not set and answers have in another form than storage.

use std::any::Any;

use crud_runtime::Column;
use crud_runtime::column::{ColumnAttribute, ColumnError, FieldLocation, Keywords, Kind, Returned, Value, ValueRef};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Record, get};
use crud_tests::fixtures::batch;
use crud_tests::{Api, Database, on_each_backend};
use serde_json::{Map, Value as Json, json};

/// A drawing, whose image a route beside its record returns.
#[derive(Debug, Clone, PartialEq)]
struct Drawing(String);

const SCHEMA: &str = r#"{
    "title": "Drawing",
    "type": "object",
    "required": ["name", "url"],
    "properties": { "name": { "type": "string" }, "url": { "type": "string" } },
    "examples": [{ "name": "front", "url": "/houses/1/front" }]
}"#;

impl Column for Drawing {
    const KIND: Kind = Kind::Json;
    const READ_ONLY: bool = true;
    const SCHEMA: Option<&'static str> = Some(SCHEMA);
    const KEYWORDS: Option<Keywords> = Some(keywords);
    const RETURNED: Option<Returned> = Some(with_url);
    const ATTRIBUTE: Option<&'static str> = Some("drawing");

    fn into_value(self) -> Value {
        Value::Json(json!({ "name": self.0 }))
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        let json = Json::from_value(value)?;
        json["name"].as_str().map(|name| Self(name.to_owned())).ok_or_else(|| ColumnError::new("must have a name"))
    }
}

fn with_url(value: ValueRef<'_>, field: &FieldLocation<'_>) -> Result<Value, ColumnError> {
    let Drawing(name) = Drawing::from_value(value)?;
    Ok(Value::Json(json!({ "name": name, "url": field.path() })))
}

fn keywords(options: &(dyn Any + Send + Sync)) -> Map<String, Json> {
    let inches = options.downcast_ref().map(|options: &DrawingOptions| json!(options.inches));
    inches.into_iter().map(|inches| ("x-inches".to_owned(), inches)).collect()
}

/// The options of `drawing(…)`.
#[derive(Debug, PartialEq)]
struct DrawingOptions {
    inches: u32,
    papers: &'static [&'static str],
    coloured: bool,
}

impl DrawingOptions {
    const fn inches(self, inches: u32) -> Self {
        Self { inches, ..self }
    }

    const fn papers(self, papers: &'static [&'static str]) -> Self {
        Self { papers, ..self }
    }

    const fn coloured(self) -> Self {
        Self { coloured: true, ..self }
    }
}

impl ColumnAttribute for Drawing {
    type Options = DrawingOptions;
    const OPTIONS: DrawingOptions = DrawingOptions { inches: 10, papers: &[], coloured: false };
}

#[derive(Debug, Clone, Resource)]
#[crud(pagination, audit, batch, export, has_many(rooms(Room::house_id)))]
struct House {
    id: i64,
    name: String,
    #[crud(drawing(inches = 24, papers("rag", "vellum"), coloured))]
    front: Option<Drawing>,
    /// Without the attribute.
    back: Option<Drawing>,
}

#[derive(Debug, Clone, Resource)]
struct Room {
    id: i64,
    #[crud(references(House, expand))]
    house_id: i64,
}

async fn first(ctx: Context) -> crud_runtime::Result<Record<House>> {
    Ok(Record(ctx.store::<House>().get(1).await?))
}

async fn houses(database: &Database) -> (Api, App) {
    let service = database.service().await.resource::<Room>();
    let service = service.resource_with::<House>(|options| options.prefix("/v1/houses"));
    let service = service.route("/first-house", get(first));
    let service = service.migrate().await.expect("the tables");
    let app = service.app();
    let api = Api::start(database, service).await;
    (api, app)
}

/// A house with a front that the program has drawn.
async fn drawn(api: &Api, app: &App) {
    api.post("/v1/houses", &json!({ "name": "Falling Water" })).await.created();
    let patch = HousePatch::default().front(Drawing("front".to_owned()));
    app.store::<House>().update(1, patch).await.expect("a drawing");
}

fn house(name: &str) -> Json {
    json!({ "id": 1, "name": name, "front": { "name": "front", "url": "/v1/houses/1/front" }, "back": null })
}

#[test]
fn options_are_those_of_the_attribute() {
    let [front, back] = ["front", "back"].map(|name| House::DESCRIPTOR.json_field(name).expect("a field").1);
    assert_eq!((front.attribute, back.attribute), (Some("drawing"), Some("drawing")));
    let options = DrawingOptions { inches: 24, papers: &["rag", "vellum"], coloured: true };
    assert_eq!(front.attribute_options::<DrawingOptions>(), Some(&options));
    assert_eq!(back.attribute_options::<DrawingOptions>(), None);
}

#[test]
fn bodies_do_not_set_values_of_a_read_only_type() {
    on_each_backend(async |database| {
        let (mut api, app) = houses(database).await;
        api.check_against_document().await;
        let forged = json!({ "name": "Villa", "front": { "name": "forged" }, "back": 5 });
        let created = api.post("/v1/houses", &forged).await.created();
        assert_eq!((&created["front"], &created["back"]), (&Json::Null, &Json::Null));
        api.patch("/v1/houses/1", &json!({ "front": { "name": "forged" } })).await.ok();
        let stored = app.store::<House>().get(1).await.expect("the house");
        assert_eq!(stored.front, None);
        api.stop().await;
    });
}

#[test]
fn every_answer_has_the_returned_form() {
    on_each_backend(async |database| {
        let (mut api, app) = houses(database).await;
        api.check_against_document().await;
        drawn(&api, &app).await;
        api.post("/rooms", &json!({ "house_id": 1 })).await.created();
        let stored = house("Falling Water");
        assert_eq!(api.get("/v1/houses/1").await.ok(), stored);
        assert_eq!(api.get("/v1/houses").await.ok()["data"], json!([stored]));
        assert_eq!(api.get("/first-house").await.ok(), stored);
        assert_eq!(api.get("/rooms/1?expand=house").await.ok()["house"], stored);
        assert_eq!(api.get("/v1/houses/export?format=ndjson").await.text(), format!("{stored}\n"));
        let csv = api.get("/v1/houses/export?format=csv").await.text();
        assert!(csv.contains(r#""{""name"":""front"",""url"":""/v1/houses/1/front""}""#), "{csv}");
        assert_eq!(api.patch("/v1/houses/1", &json!({ "name": "Villa" })).await.ok(), house("Villa"));
        let batch = api.put("/v1/houses/batch", &batch([json!({ "id": 1, "name": "Cabin" })])).await.ok();
        assert!(batch.to_string().contains(&house("Cabin").to_string()), "{batch}");
        api.stop().await;
    });
}

#[test]
fn audit_entries_have_the_stored_value() {
    on_each_backend(async |database| {
        let (mut api, app) = houses(database).await;
        api.check_against_document().await;
        drawn(&api, &app).await;
        let history = api.get("/v1/houses/1/history").await.ok();
        let drawn = &history["data"][1];
        assert_eq!(drawn["changes"], json!({ "front": { "name": "front" } }), "{history}");
        let time = drawn["timestamp"].as_str().expect("a time");
        assert_eq!(api.get(format!("/v1/houses/1?as_of={time}")).await.ok(), house("Falling Water"));
        api.stop().await;
    });
}

#[test]
fn document_has_the_schema_of_the_type() {
    on_each_backend(async |database| {
        let (api, _) = houses(database).await;
        let schemas = api.get("/openapi.json").await.ok()["components"]["schemas"].clone();
        assert_eq!(schemas["Drawing"]["required"], json!(["name", "url"]));
        let front = &schemas["House"]["properties"]["front"];
        assert_eq!(front["oneOf"][0]["$ref"], "#/components/schemas/Drawing", "{front}");
        let back = &schemas["House"]["properties"]["back"];
        assert_eq!((&front["x-inches"], &back["x-inches"]), (&json!(24), &Json::Null), "{front} {back}");
        let body = &schemas["HouseCreate"]["properties"]["front"];
        assert_eq!(body["readOnly"], true, "{body}");
        api.stop().await;
    });
}
