//! Answers with several records: a page, or a list.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::{Answer, answers, deferred};
use crate::http::handler::response;
use crate::http::operation::list::{DATA, PageEnd, Range, sized_response};
use crate::http::render::JsonSink;
use crate::http::routing::describe::{Described, DescribedReply};
use crate::http::routing::route_context::RouteContext;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::row::RowSink;
use crate::query::Total;
use crate::store::owned_record::OwnedRecord;
use crate::store::typed::page::Page;

/// Marker of a list of records.
#[derive(Debug)]
pub struct RecordList;

/// Records as an array, each with the fields that the caller sees.
impl<R: Resource> Answer<RecordList> for Vec<R> {
    fn into_answer(self) -> Response {
        deferred::response(move |context| {
            let mut json = written(vec![b'['], self, context)?;
            json.push(b']');
            Ok(response::json(StatusCode::OK, json))
        })
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Records(R::DESCRIPTOR);
    }
}

/// A page as the resource's own list answers with it, each record with the fields that the caller sees.
impl<R: Resource> IntoResponse for Page<R> {
    fn into_response(self) -> Response {
        deferred::response(move |context| {
            let Self { data, total, page, limit, skip, .. } = self;
            let (rows, total) = (data.len() as u64, Some(Total::Exactly(total)));
            let mut json = written(DATA.to_vec(), data, context)?;
            PageEnd { page: Some(page), skip, limit, total }.write(&mut json);
            let options = context.state.mounted_resource(R::DESCRIPTOR).map(|mounted| mounted.options());
            Ok(sized_response(json, options, Some(Range { skip, rows }), total))
        })
    }
}

answers! {
    Page<R> where [R: Resource]: DescribedReply::Page(R::DESCRIPTOR);
}

/// The JSON of records, separated by commas, after a beginning.
fn written<R: Resource>(beginning: Vec<u8>, records: Vec<R>, context: &RouteContext) -> Result<Vec<u8>, Problem> {
    let resource = R::DESCRIPTOR;
    let view = context.identity.fields(resource);
    let mut sink = JsonSink::new(resource, &view, beginning);
    for record in records {
        let row = OwnedRecord::of(record);
        sink.row(&row).map_err(|error| Problem::from_adapter(resource, error))?;
    }
    Ok(sink.out)
}
