//! The program's own routes.

use axum::http::{Method, StatusCode};

use super::json_schema::Schema;
use super::wording::sentence;
use super::words::{Answer, Body, JSON, OwnParameter, Path, Place, Words};
use super::{DocumentedResource, access, schema};
use crate::http::action::argument::DescribedReply;
use crate::http::action::mounted::MountedAction;
use crate::http::param::header::{etag, prefer};
use crate::http::param::list;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

/// The problems of the changes that a handler may make.
const CHANGE: [Code; 6] = [
    Code::Conflict,
    Code::ReferenceNotFound,
    Code::Referenced,
    Code::NotDeleted,
    Code::IllegalTransition,
    Code::ConstraintFailed,
];

/// The path of each documented route, with its operation alone.
pub(crate) fn paths(resources: &[DocumentedResource<'_>], actions: &[MountedAction], secured: bool) -> Vec<Path> {
    let own = actions.iter().filter(|mounted| mounted.replaces.is_none() && mounted.action.options.is_documented);
    let path = |mounted: &MountedAction| {
        let options = &mounted.action.options;
        let names = mounted.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        let typed = mounted.path_schema.as_deref().map_or(&[][..], |schema| schema.resource().columns);
        let parameter = |name: &str| match typed.iter().find(|column| column.json == name) {
            Some(column) => OwnParameter::new(Place::Path, name, column.doc.trim(), schema::parameter(column)),
            None => OwnParameter::new(Place::Path, name, "", Schema::text().with("minLength", 1)),
        };
        let parameters = match mounted.resource.filter(|_| options.is_item) {
            Some(resource) => vec![schema::id_parameter(resource)],
            None => names.map(parameter).collect(),
        };
        let words = operation(resources, mounted, secured);
        Path { parameters, ..Path::of(&mounted.path, options.method.clone(), words) }
    };
    own.map(path).collect()
}

/// Names that routes state and something else in the document has too, each as a sentence.
pub(crate) fn collisions(actions: &[MountedAction], paths: &[Path], schemas: &[(String, Schema)]) -> Vec<String> {
    let stated = actions.iter().filter_map(|mounted| mounted.action.options.operation_id.as_ref());
    let operations =
        |id: &str| paths.iter().flat_map(|path| &path.operations).filter(|(_, words)| words.id == id).count();
    let ids = stated.filter(|id| operations(id) > 1).map(|id| format!("two operations have the id `{id}`"));
    let typed = actions.iter().filter_map(|mounted| match mounted.action.handler.0.describe().reply {
        DescribedReply::Typed(_, schema) => Some(schema().take_definitions()),
        _ => None,
    });
    let differs = |name: &str| {
        let mut named = schemas.iter().filter(|(known, _)| known == name).map(|(_, schema)| schema);
        let first = named.next();
        named.any(|other| Some(other) != first)
    };
    let typed = typed.flatten().filter(|(name, _)| differs(name));
    ids.chain(typed.map(|(name, _)| format!("two schemas have the name `{name}`"))).collect()
}

/// The resource of a descriptor, in the document.
fn documented<'r, 'o>(
    resources: &'r [DocumentedResource<'o>],
    descriptor: &Descriptor,
) -> Option<&'r DocumentedResource<'o>> {
    resources.iter().find(|resource| std::ptr::eq(resource.options.descriptor, descriptor))
}

/// The responses of a handler that succeeds; none where the handler makes them itself.
fn successes(resources: &[DocumentedResource<'_>], reply: DescribedReply) -> Vec<(StatusCode, Answer)> {
    let record = |of: &Descriptor| match documented(resources, of) {
        Some(resource) => resource.record(),
        None => Schema::object(),
    };
    let ok = |description: &str, schema| (StatusCode::OK, Answer::json(description, schema));
    let done = (StatusCode::NO_CONTENT, Answer::empty("It is done."));
    match reply {
        DescribedReply::Any => Vec::new(),
        DescribedReply::Nothing => vec![done],
        DescribedReply::Json => vec![ok("The result.", Schema::any())],
        DescribedReply::Record(of) => {
            let (status, answer) = ok("The record.", record(of));
            vec![(status, answer.headers(&["ETag"])), (done.0, done.1.headers(&["ETag", "Preference-Applied"]))]
        }
        DescribedReply::Records(of) => vec![ok("The records.", Schema::array(record(of)))],
        DescribedReply::Page(of) => {
            let (status, answer) = ok("The records.", page(documented(resources, of)));
            vec![(status, answer.headers(&["X-Total-Count", "Content-Range"]))]
        }
        DescribedReply::Typed(status, schema) => vec![(status, Answer::json("The result.", schema()))],
        DescribedReply::Created(of) => {
            let answer = Answer::json("The created record.", record(of));
            vec![(StatusCode::CREATED, answer.headers(&["Location", "ETag", "Preference-Applied"]))]
        }
    }
}

/// The schema of a page: the resource's own, or where its lists have cursors or no pages, one in place.
fn page(resource: Option<&DocumentedResource<'_>>) -> Schema {
    match resource {
        Some(resource) if resource.options.pagination.is_some_and(|pages| !pages.cursor) => {
            Schema::reference(&resource.names.schema("List"))
        }
        Some(resource) => schema::page(&resource.names.record(), false),
        None => Schema::object(),
    }
}

/// Describes what a handler in place of a generated operation takes and gives.
pub(crate) fn replace(
    words: &mut Words,
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    actions: &[MountedAction],
    operation: Operation,
) {
    let is_own = |action: &&MountedAction| {
        action.replaces == Some(operation)
            && action.resource.is_some_and(|own| std::ptr::eq(own, resource.options.descriptor))
    };
    let Some(action) = actions.iter().find(is_own) else { return };
    let described = action.action.handler.0.describe();
    if let Some(descriptor) = described.body {
        words.body = Some(body(descriptor, None));
    } else if !described.has_generated {
        words.body = None;
    }
    let own = successes(resources, described.reply);
    if !own.is_empty() {
        words.answers = own;
    }
}

/// The body of a handler, or of a member of an envelope.
fn body(descriptor: &'static Descriptor, envelope: Option<&str>) -> Body {
    let schema = Schema::named(&format!("{}Body", descriptor.name), schema::body(descriptor));
    let schema = match envelope {
        Some(name) => Schema::object().member(name, schema).closed(),
        None => schema,
    };
    Body::new("The body.", [(JSON, schema)])
}

fn operation(resources: &[DocumentedResource<'_>], mounted: &MountedAction, secured: bool) -> Words {
    let action = &mounted.action.options;
    let described = mounted.action.handler.0.describe();
    let resource = mounted.resource.and_then(|resource| documented(resources, resource));
    let mut words = Words {
        tags: match resource {
            _ if !action.tags.is_empty() => action.tags.clone(),
            Some(resource) => resource.options.tags.clone(),
            None => vec![super::service::TAG.to_owned()],
        },
        id: action.operation_id.clone().unwrap_or_else(|| operation_id(resource, mounted)),
        summary: if action.summary.is_empty() { phrase(&action.path) } else { action.summary.clone() },
        description: if action.description.is_empty() {
            format!("`{} {}`, a route of the program.", action.method, mounted.path)
        } else {
            action.description.trim().to_owned()
        },
        answers: successes(resources, described.reply),
        ..Words::default()
    };
    if words.answers.is_empty() {
        words.answers = successes(resources, DescribedReply::Json);
    }
    if described.has_location {
        words.header("Location");
    }
    words = words.parameters(described.query.iter().flat_map(|query| query.columns).map(|column| OwnParameter {
        is_required: column.is_required(),
        ..OwnParameter::query(column.json, column.doc.trim(), schema::parameter(column))
    }));
    words = words.problems(&[Code::ValidationFailed]).of_database();
    if let Some(resource) = described.list.and_then(|list| documented(resources, list)) {
        words = words.parameters(list::document(resource.options, list::PROGRAM, &resource.names.schema("Where")));
    }
    if action.is_item || described.has_record {
        words.problems.push(Code::NotFound);
    }
    match &action.problems {
        Some(problems) => words.problems.extend(problems),
        None if action.method == Method::GET => {}
        None => words.problems.extend(CHANGE),
    }
    if described.has_record {
        words.problems.push(Code::PreconditionFailed);
        words = words.parameters([etag::document_if_match()]);
    }
    if matches!(described.reply, DescribedReply::Record(..) | DescribedReply::Created(..)) {
        words = words.parameters([prefer::document_change()]);
    }
    if let Some(descriptor) = described.body {
        words = words.body(body(descriptor, action.envelope));
    }
    if let Some(rewording) = &action.rewording {
        words = (rewording.0)(words);
    }
    if secured {
        access::secure_by(&mut words, &mounted.access, mounted.resource);
        if let Some(resource) = described.list {
            access::restrict_deleted(&mut words, resource);
        }
    }
    words
}

/// The last segment as a phrase, such as `Take part`.
fn phrase(path: &str) -> String {
    sentence(&path.rsplit('/').next().unwrap_or_default().replace(['-', '_', '.'], " "))
}

/// The id of a route: of one below a resource's, the resource's own; else the method and the path in camel case, such as
/// `getReportsTop`.
fn operation_id(resource: Option<&DocumentedResource<'_>>, mounted: &MountedAction) -> String {
    let action = &mounted.action.options;
    let of_resource =
        resource.and_then(|of| of.names.action_operation_id(&action.method, &action.path, action.is_item));
    of_resource.unwrap_or_else(|| {
        let words = mounted.path.split(|c: char| !c.is_ascii_alphanumeric());
        action.method.as_str().to_lowercase() + &words.map(sentence).collect::<String>()
    })
}
