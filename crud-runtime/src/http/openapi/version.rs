//! The versions of a document: one model is written, and each version keeps the parts that it knows.

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{Content, OpenApi, OpenApiVersion, RefOr};

/// The document of OpenAPI 3.1: without `QUERY`, schemas of items and the order of tags.
pub(super) fn of_3_1(mut document: OpenApi) -> OpenApi {
    document.openapi = OpenApiVersion::Version31;
    document.paths.paths.values_mut().for_each(|item| item.query = None);
    for tag in document.tags.iter_mut().flatten() {
        (tag.parent, tag.kind) = (None, None);
    }
    change_content(&mut document, |content| content.item_schema = None);
    document
}

/// The document of OpenAPI 3.2, for a service mounted under a path.
pub(super) fn of_3_2(mut document: OpenApi, mount: &str) -> OpenApi {
    document.openapi = OpenApiVersion::Version32;
    document.self_uri = Some(format!("{mount}/openapi.json?version=3.2"));
    if !mount.is_empty() {
        document.servers.iter_mut().flatten().for_each(|server| mount.clone_into(&mut server.url));
    }
    change_content(&mut document, |content| {
        // For a sequence, the schema of an item replaces that of the whole text.
        content.schema.take_if(|_| content.item_schema.is_some());
    });
    document
}

/// Changes each media type of answers.
fn change_content(document: &mut OpenApi, change: impl Fn(&mut Content)) {
    let items = document.paths.paths.values_mut();
    let of_operations = items.flat_map(operations).flat_map(|operation| operation.responses.responses.values_mut());
    let of_components = document.components.iter_mut().flat_map(|components| components.responses.values_mut());
    let answers = of_operations.chain(of_components).filter_map(inline);
    answers.flat_map(|answer| answer.content.values_mut()).filter_map(inline).for_each(change);
}

/// The operations of a path.
fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, options, head, patch, trace, query, .. } = item;
    [get, put, post, delete, options, head, patch, trace, query].into_iter().filter_map(Option::as_mut)
}

fn inline<T>(value: &mut RefOr<T>) -> Option<&mut T> {
    match value {
        RefOr::T(value) => Some(value),
        RefOr::Ref(_) => None,
    }
}
