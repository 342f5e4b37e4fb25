//! The routes of a field: `PUT`, `GET`, `DELETE {record}/{field}`, links and resumable uploads.

mod delete;
mod document;
mod endpoint;
mod get;
mod link;
mod put;
mod resumable;

use std::sync::Arc;

use crud_runtime::access::Access;
use crud_runtime::routing::{self, Routes};

use self::endpoint::Endpoint;
use crate::field::FileField;
use crate::file_service::FileService;

/// The lowest average rate of a client, in bytes a second.
const RATE: u32 = 16 << 10;

/// Adds the routes of a field.
pub(crate) fn add(routes: Routes, files: &FileService, field: &Arc<FileField>) -> Routes {
    let endpoint = Endpoint { files: files.clone(), field: field.clone() };
    let path = format!("{}/{{id}}/{}", field.prefix, field.name);
    let at = || endpoint.clone();
    let (get, link) = (at(), at());
    // The route is public, as a link is its own credential. Without a link, the handler checks access to the record.
    let read = routing::get(move |ctx, method, headers| get::get(get.clone(), ctx, method, headers));
    let read = read.access(Access::Public).identifies_sender().streams(RATE);
    let share = routing::post(move |ctx| link::make(link.clone(), ctx)).access(Access::Public).no_store();
    let routes =
        routes.route(&path, document::get(read, field)).route(format!("{path}/link"), document::link(share, field));
    if field.is_changed { changes(routes, &path, &endpoint) } else { routes }
}

fn changes(routes: Routes, path: &str, endpoint: &Endpoint) -> Routes {
    let at = || endpoint.clone();
    let (put, delete, begin, state, append, end) = (at(), at(), at(), at(), at(), at());
    let field = &endpoint.field;
    let put = routing::put(move |ctx, body| put::put(put.clone(), ctx, body))
        .streams(RATE)
        .body_limit(document::limit(field));
    let delete = routing::delete(move |ctx| delete::delete(delete.clone(), ctx));
    let begin = routing::post(move |ctx| resumable::begin(begin.clone(), ctx));
    // The route is public, as the handler finds only uploads that the sender has begun, and checks access to the
    // record.
    let state = routing::get(move |ctx| resumable::state(state.clone(), ctx)).access(Access::Public);
    let append = routing::patch(move |ctx, body| resumable::append(append.clone(), ctx, body)).streams(RATE);
    let append = append.body_limit(document::limit(field));
    let end = routing::delete(move |ctx| resumable::end(end.clone(), ctx));
    let routes = routes.route(path, document::put(put, field)).route(path, document::delete(delete, field));
    let routes = routes.route(format!("{path}/uploads"), document::begin(begin, field));
    let one = format!("{path}/uploads/{{upload}}");
    let routes = routes.route(&one, document::state(state, field)).route(&one, document::append(append, field));
    routes.route(&one, document::end(end, field))
}
