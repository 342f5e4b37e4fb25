//! The program's own routes.

use axum::http::{Method, StatusCode};

use super::{access, operation_id, service};
use crate::http::description::documented_resource::{DocumentedResource, documented};
use crate::http::description::json_schema::Schema;
use crate::http::description::name::Names;
use crate::http::description::operation_doc::{
    Answer, Body, JSON, OperationDoc, ParameterObject, Path, Place, template_of,
};
use crate::http::description::wording::sentence;
use crate::http::description::{documented_type, page, record_schema, value_schema};
use crate::http::param::header::{etag, prefer};
use crate::http::param::list;
use crate::http::routing::argument::path_types::{Segments, query_parameter};
use crate::http::routing::describe::{Described, DescribedBody, DescribedReply, DescribedStatus};
use crate::http::routing::mounted::MountedRoute;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

/// The problems of the changes that a handler may make.
const CHANGE: [Code; 7] = [
    Code::Conflict,
    Code::ReferenceNotFound,
    Code::Referenced,
    Code::NotDeleted,
    Code::IllegalTransition,
    Code::LastMember,
    Code::ConstraintFailed,
];

/// The name of the path `/`.
const HOME: &str = "Home";

/// The path of each documented route, with its operation alone.
pub(crate) fn paths(resources: &[DocumentedResource<'_>], actions: &[MountedRoute], secured: bool) -> Vec<Path> {
    let own = actions.iter().filter(|mounted| is_documented(mounted));
    let path = |mounted: &MountedRoute| {
        let words = operation(resources, mounted, secured);
        let method = mounted.route.options.method.clone();
        let path = Path::of(&template_of(&mounted.path), method, words);
        Path { parameters: path_parameters(mounted), resource: mounted.resource, ..path }
    };
    own.map(path).collect()
}

/// Whether the document has a route as an operation of the program.
pub(crate) fn is_documented(mounted: &MountedRoute) -> bool {
    mounted.replaces.is_none() && !mounted.route.options.is_undocumented
}

/// The parameters in the path of a route: the record's key, and those that the handler's types describe.
fn path_parameters(mounted: &MountedRoute) -> Vec<ParameterObject> {
    let path = template_of(&mounted.path);
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let typed = mounted.schemas.path.as_deref().map_or(&[][..], |schema| schema.resource().columns);
    let parameter = |(position, name): (usize, &str)| {
        let by_type = match &mounted.described.segments {
            Some(Segments::Values(values)) => values.get(position),
            Some(Segments::Named(values)) => values.iter().find(|value| value.0.name == name),
            Some(Segments::Any) | None => None,
        };
        if let Some(column) = typed.iter().find(|column| column.json == name) {
            return ParameterObject::new(Place::Path, name, column.doc.trim(), value_schema::parameter(column));
        }
        match (by_type, mounted.resource) {
            (_, Some(resource)) if mounted.is_item && name == "id" => value_schema::id_parameter(resource),
            (Some(by_type), _) => ParameterObject { name: name.to_owned(), ..by_type.0.clone() },
            (None, _) => ParameterObject::new(Place::Path, name, "", Schema::text().with("minLength", 1)),
        }
    };
    names.enumerate().map(parameter).collect()
}

/// The responses of a handler that succeeds.
fn successes(resources: &[DocumentedResource<'_>], described: &Described) -> Vec<(StatusCode, Answer)> {
    let record = |of: &'static Descriptor| match documented(resources, of) {
        Some(resource) => resource.record(),
        None => Schema::named(of.name, internal(of)),
    };
    let ok = |description: &str, schema| (StatusCode::OK, Answer::json(description, schema));
    let done = (StatusCode::NO_CONTENT, Answer::empty("It is done."));
    let mut all = match described.reply {
        DescribedReply::Nothing => vec![done],
        DescribedReply::Any => {
            vec![(StatusCode::OK, Answer { has_any_status: true, ..Answer::empty("The response.") })]
        }
        DescribedReply::Content(media_type) => {
            let content = vec![(media_type, Schema::text())];
            vec![(StatusCode::OK, Answer { content, ..Answer::empty("The response.") })]
        }
        DescribedReply::Typed(schema) => vec![ok("The result.", schema())],
        DescribedReply::Record(of) => {
            let (status, answer) = ok("The record.", record(of));
            vec![(status, answer.headers(&["ETag"])), (done.0, done.1.headers(&["ETag", "Preference-Applied"]))]
        }
        DescribedReply::Records(of) => vec![ok("The records.", Schema::array(record(of)))],
        DescribedReply::Page(of) => {
            let (status, answer) = ok("The records.", page(resources, of));
            vec![(status, answer.headers(&["X-Total-Count", "Content-Range"]))]
        }
        DescribedReply::Created(of) => {
            let answer = Answer::json("The created record.", record(of));
            vec![(StatusCode::CREATED, answer.headers(&["Location", "ETag", "Preference-Applied"]))]
        }
    };
    if let (Some((status, answer)), Some(stated)) = (all.first_mut(), described.status) {
        match stated {
            DescribedStatus::Is(stated) => *status = stated,
            DescribedStatus::AnySuccess => answer.has_any_status = true,
        }
    }
    all
}

/// The responses; where the route has an envelope, their JSON is in a member of an object.
fn enveloped(mut answers: Vec<(StatusCode, Answer)>, envelope: Option<&str>) -> Vec<(StatusCode, Answer)> {
    let Some(name) = envelope else { return answers };
    for (_, schema) in answers.iter_mut().flat_map(|(_, answer)| &mut answer.content).filter(|(of, _)| *of == JSON) {
        *schema = Schema::object().member(name, std::mem::take(schema));
    }
    answers
}

/// The schema of a page: the resource's own, or where its lists have cursors or no pages, an inline one.
fn page(resources: &[DocumentedResource<'_>], of: &'static Descriptor) -> Schema {
    match documented(resources, of) {
        Some(resource) if resource.options.pagination.is_some_and(|pages| !pages.cursor) => {
            Schema::reference(&resource.names.schema("List"))
        }
        Some(resource) => page::page(&resource.names.record(), false),
        None => page::page(of.name, false).defining(of.name, internal(of)),
    }
}

/// The schema of a record of a resource without operations, equal to that of its type.
fn internal(of: &'static Descriptor) -> Schema {
    documented_type::record_type(of).schema
}

/// Describes what a handler in place of a generated operation takes and gives.
pub(crate) fn replace(
    words: &mut OperationDoc,
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    actions: &[MountedRoute],
    operation: Operation,
) {
    let is_own = |action: &&MountedRoute| {
        action.replaces == Some(operation)
            && action.resource.is_some_and(|own| std::ptr::eq(own, resource.options.descriptor))
    };
    let Some(action) = actions.iter().find(is_own) else { return };
    let described = &action.described;
    if let Some(of) = described.body {
        words.body = Some(body(of, None));
    } else if !described.has_next {
        words.body = None;
    }
    // A response that the handler makes itself is documented like the generated one.
    if !matches!(described.reply, DescribedReply::Any) {
        words.answers = successes(resources, described);
    }
}

/// The body of a handler, or of a member of an envelope.
fn body(of: DescribedBody, envelope: Option<&str>) -> Body {
    let fields = match of {
        DescribedBody::Fields(fields) => fields,
        DescribedBody::Typed(schema) => return Body::new("The body.", [(JSON, schema())]),
        DescribedBody::Any(media_type) => return Body::new("The body.", [(media_type, Schema::text())]),
        #[cfg(feature = "multipart")]
        DescribedBody::Multipart => return Body::new("The parts.", [("multipart/form-data", Schema::map())]),
    };
    let schema = Schema::named(&format!("{}Body", fields.name), record_schema::body(fields));
    let schema = match envelope {
        Some(name) => Schema::object().member(name, schema).closed(),
        None => schema,
    };
    Body::new("The body.", [(JSON, schema)])
}

fn operation(resources: &[DocumentedResource<'_>], mounted: &MountedRoute, secured: bool) -> OperationDoc {
    let (action, described) = (&mounted.route.options, &mounted.described);
    let resource = mounted.resource.and_then(|resource| documented(resources, resource));
    let mut words = OperationDoc {
        tags: match resource {
            _ if !action.tags.is_empty() => action.tags.clone(),
            Some(resource) => resource.options.tags.clone(),
            None => vec![service::TAG.to_owned()],
        },
        id: id_of(resource.map(|of| &of.names), mounted),
        summary: if action.summary.is_empty() { phrase(mounted) } else { action.summary.clone() },
        description: if action.description.is_empty() {
            format!("`{} {}`, a route of the program.", action.method, mounted.path)
        } else {
            action.description.trim().to_owned()
        },
        answers: match &action.answer_types[..] {
            [] => enveloped(successes(resources, described), action.envelope),
            types => {
                let content = raw(types).collect();
                vec![(StatusCode::OK, Answer { content, ..Answer::empty("The content.") })]
            }
        },
        responses: action.responses.clone(),
        describe: action.description_of.clone(),
        ..OperationDoc::default()
    };
    if described.has_location {
        words.header("Location");
    }
    let listed = described.list.and_then(|list| documented(resources, list));
    let gives_record = matches!(described.reply, DescribedReply::Record(..) | DescribedReply::Created(..));
    words = words
        .parameters(described.query.iter().flat_map(|query| query.columns).map(query_parameter))
        .parameters(described.parameters.iter().cloned())
        .parameters(listed.into_iter().flat_map(|resource| list::document(resource, list::PROGRAM)))
        .parameters(described.locks.then(etag::document_if_match))
        .parameters(gives_record.then(prefer::document_change))
        .problems(&described.problems)
        .problems(&[Code::ValidationFailed])
        .problem_if(mounted.is_item, Code::NotFound)
        .problem_if(described.locks, Code::PreconditionFailed)
        .of_database();
    match &action.problems {
        Some(problems) => words.problems.extend(problems),
        None if action.method == Method::GET => {}
        None => words.problems.extend(CHANGE),
    }
    if let Some(of) = described.body {
        words = words.body(body(of, action.envelope));
    }
    if !action.body_types.is_empty() {
        words = words.body(Body { content: raw(&action.body_types).collect(), ..Body::new("The content.", []) });
    }
    words.limit_requests(action.rate_limit.is_some() || resource.is_some_and(|of| of.options.rate_limit.is_some()));
    words.deprecate(mounted.deprecation());
    if let Some(rewording) = &action.rewording {
        words = rewording(words);
    }
    if secured {
        access::secure_by(&mut words, &mounted.access, mounted.resource);
        words = words.problem_if(action.is_personal, Code::PermissionDenied);
        if let Some(resource) = described.list {
            let rules = documented(resources, resource).map_or(resource.access, |of| of.access);
            access::restrict_deleted(&mut words, resource, &rules);
        }
    }
    words
}

/// The contents of raw bodies of these media types.
fn raw(types: &[&'static str]) -> impl Iterator<Item = (&'static str, Schema)> {
    types.iter().map(|media_type| (*media_type, Schema::text().with("format", "binary")))
}

/// The last segment that is not a parameter, as a phrase such as `Take part`.
fn phrase(mounted: &MountedRoute) -> String {
    if mounted.path == "/" {
        return HOME.to_owned();
    }
    let mut segments = mounted.path.rsplit('/').filter(|segment| !segment.starts_with('{'));
    sentence(&segments.next().unwrap_or_default().replace(['-', '_', '.'], " "))
}

/// The id of a route: the stated one; below a resource, one made of the resource's names; else the method and the path
/// in camel case, such as `getReportsTop`.
pub(crate) fn id_of(names: Option<&Names>, mounted: &MountedRoute) -> String {
    let action = &mounted.route.options;
    let of_resource = names.zip(mounted.resource).and_then(|(names, resource)| {
        operation_id::of_action(names, resource, &action.method, &mounted.name, mounted.is_item)
    });
    action.operation_id.clone().or(of_resource).unwrap_or_else(|| {
        let words = mounted.path.split(|c: char| !c.is_ascii_alphanumeric());
        let name: String = words.map(sentence).collect();
        action.method.as_str().to_lowercase() + if name.is_empty() { HOME } else { name.as_str() }
    })
}
