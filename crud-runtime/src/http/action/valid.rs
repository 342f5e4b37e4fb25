//! [`Valid`]: the body of a request, parsed and checked.

use std::ops::Deref;

use super::argument::{ActionRequest, Argument, Described};
use crate::http::body::{self, BodyRules};
use crate::model::problem::Problem;
use crate::model::schema::Schema;
use crate::query::visibility::FieldVisibility;
use crate::store::owned_record::OwnedRecord;
use crate::store::record_values;

/// The body of a request, a struct that derives [`Schema`](crate::Schema): parsed, checked, with its defaults.
#[derive(Debug)]
pub struct Valid<B>(pub B);

impl<B> Deref for Valid<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.0
    }
}

impl<B: Schema> Argument for Valid<B> {
    async fn prepare(request: &mut ActionRequest) -> Result<(), Problem> {
        let bytes = request.body_reader.json(&request.parts, request.body_limit).await?;
        // Every error of the body is found before a transaction begins.
        let schema = request.schema.as_deref().ok_or_else(missing)?;
        let view = FieldVisibility::default();
        let rules = BodyRules::without_principal(&view);
        let body = match request.envelope {
            None => body::parse(schema, &rules, &bytes)?,
            Some(name) => body::parse_in(name, schema, &rules, &bytes)?,
        };
        request.raw_body = Some(bytes);
        request.body = Some(OwnedRecord::new(record_values::with_defaults(B::DESCRIPTOR, body.changes)));
        Ok(())
    }

    async fn take(request: &mut ActionRequest) -> Result<Self, Problem> {
        let body = request.body.take().ok_or_else(missing)?;
        B::from_row(&body).map(Self).map_err(|error| Problem::from_adapter(B::DESCRIPTOR, error))
    }

    fn describe(described: &mut Described) {
        described.body = Some(B::DESCRIPTOR);
    }
}

fn missing() -> Problem {
    Problem::internal("the route has no body, or a handler takes it twice")
}
