//! The routes in the OpenAPI document.

use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Code;
use crud_runtime::routing::Route;
use crud_runtime::utoipa::openapi::extensions::Extensions;
use crud_runtime::utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use crud_runtime::utoipa::openapi::request_body::RequestBodyBuilder;
use crud_runtime::utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaType, Type};
use crud_runtime::utoipa::openapi::{ContentBuilder, RefOr, Required, Response, ResponseBuilder, Schema};

/// The media type of a stream.
const STREAM: &str = "text/event-stream";

/// The description of every route.
const ABOUT: &str = "With `Accept: text/event-stream`, a stream of Server-Sent Events; otherwise the events that there are, or \
                     that there are within `wait` seconds. An event says what a record is now: `data` is the record, or null where \
                     it is no longer one of these. After `reset`, list the records again.";

pub(super) fn list(route: Route, resource: &Descriptor) -> Route {
    let description = format!("Events of the records that satisfy all filters, which are those of the list. {ABOUT}");
    let name = many(resource);
    answers(route.operation_id(format!("events{name}")).summary(format!("Follow {name}")).description(description))
}

pub(super) fn search(route: Route, resource: &Descriptor) -> Route {
    let name = many(resource);
    let description = format!("The same events as by GET, with the conditions of a search in the body. {ABOUT}");
    let route = route.operation_id(format!("searchEvents{name}")).summary(format!("Follow a search of {name}"));
    answers(body(route.description(description)))
}

pub(super) fn one(route: Route, resource: &Descriptor) -> Route {
    let name = resource.api_name.unwrap_or(resource.name);
    let description = format!("Events of one record. {ABOUT}");
    answers(
        route.operation_id(format!("eventsOf{name}")).summary(format!("Follow one {name}")).description(description),
    )
}

pub(super) fn all(route: Route) -> Route {
    let description = format!("Events of the records of several resources. {ABOUT}");
    let route = route.operation_id("events").summary("Follow several resources").description(description);
    answers(route).describe(|operation| {
        let about = "The resources, such as `products,orders`.";
        let required =
            ParameterBuilder::new().name("resources").parameter_in(ParameterIn::Query).required(Required::True);
        let parameter = required.description(Some(about)).schema(Some(text())).build();
        operation.parameters.get_or_insert_default().push(RefOr::T(parameter));
    })
}

pub(super) fn several(route: Route) -> Route {
    let description = format!(
        "Events of several views by one stream, each with the name of its subscription: \
         `{{\"subscriptions\":[{{\"name\":\"cheap\",\"resource\":\"products\",\"where\":{{\"price__lt\":5}}}}]}}`. {ABOUT}"
    );
    answers(body(route.operation_id("subscribe").summary("Follow several views").description(description)))
}

pub(super) fn ticket(route: Route) -> Route {
    let description =
        "A ticket for an `EventSource`, which sends no header of its own: `?ticket=…`. It works once, for a minute.";
    let route = route.operation_id("createEventsTicket").summary("Get a ticket for a stream").description(description);
    route.problems([Code::AuthenticationFailed]).describe(|operation| {
        let seconds = ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer));
        let schema = ObjectBuilder::new().property("ticket", text()).property("expires_in", seconds);
        let schema = Schema::Object(schema.required("ticket").required("expires_in").build());
        let content = ContentBuilder::new().schema(Some(RefOr::T(schema))).build();
        answer(
            operation,
            ResponseBuilder::new().description("The ticket.").content("application/json", content).build(),
        );
    })
}

/// The name of a resource's records in operation ids.
fn many(resource: &Descriptor) -> String {
    let name = resource.prefix.rsplit('/').next().unwrap_or(resource.name);
    let words = name.split(['-', '_']).map(|word| {
        let mut characters = word.chars();
        characters.next().map(|first| first.to_uppercase().chain(characters).collect::<String>()).unwrap_or_default()
    });
    words.collect()
}

fn text() -> RefOr<Schema> {
    RefOr::T(Schema::Object(ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).build()))
}

fn parameter(name: &str, about: &str, place: ParameterIn) -> RefOr<Parameter> {
    let parameter = ParameterBuilder::new().name(name).parameter_in(place).required(Required::False);
    RefOr::T(parameter.description(Some(about)).schema(Some(text())).build())
}

fn body(route: Route) -> Route {
    route.describe(|operation| {
        let schema = Schema::Object(ObjectBuilder::new().schema_type(SchemaType::Type(Type::Object)).build());
        let content = ContentBuilder::new().schema(Some(RefOr::T(schema))).build();
        operation.request_body = Some(RefOr::T(RequestBodyBuilder::new().content("application/json", content).build()));
    })
}

fn answers(route: Route) -> Route {
    let problems = [
        Code::AuthenticationFailed,
        Code::PermissionDenied,
        Code::HistoryGone,
        Code::ValidationFailed,
        Code::TooManyRequests,
        Code::Unavailable,
    ];
    route.problems(problems).describe(|operation| {
        let parameters = operation.parameters.get_or_insert_default();
        parameters.push(parameter(
            "after",
            "The id of the last event that the client has; without it, from now on.",
            ParameterIn::Query,
        ));
        parameters.push(parameter(
            "wait",
            "Seconds to wait for an event, at most 30; of a stream, nothing.",
            ParameterIn::Query,
        ));
        parameters.push(parameter(
            "Last-Event-ID",
            "As `after`, which it overrides: a browser sends it.",
            ParameterIn::Header,
        ));
        let events = ArrayBuilder::new().items(RefOr::T(event()));
        let page = ObjectBuilder::new().property("data", events).property("after", text());
        let page = Schema::Object(page.required("data").required("after").build());
        let json = ContentBuilder::new().schema(Some(RefOr::T(page))).build();
        let stream = ContentBuilder::new().schema(Some(text())).item_schema(Some(line())).build();
        let response = ResponseBuilder::new().description("The events.").content("application/json", json);
        answer(operation, response.content(STREAM, stream).build());
        let mark = Extensions::builder().add("x-crud-stream", true).build();
        operation.extensions.get_or_insert_default().merge(mark);
    })
}

/// The schema of an event: an object whose `data` is the record of its resource, or null.
fn event() -> Schema {
    let types = ["id", "type", "timestamp", "resource"];
    let object = types.iter().fold(ObjectBuilder::new(), |object, name| object.property(*name, text()));
    let object = object.description(Some("An event. `data` is the record as it is now, or null."));
    Schema::Object(object.required("id").required("type").build())
}

/// The schema of an event in a stream, for OpenAPI 3.2: an object with a member for each line. The line `data` is the
/// event as JSON text.
fn line() -> RefOr<Schema> {
    let data = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).content_media_type("application/json");
    let data = data.content_schema(Some(RefOr::T(event())));
    let line = ObjectBuilder::new().property("id", text()).property("event", text()).property("data", data);
    RefOr::T(Schema::Object(line.required("data").build()))
}

fn answer(operation: &mut Operation, response: Response) {
    operation.responses.responses.insert("200".to_owned(), RefOr::T(response));
}
