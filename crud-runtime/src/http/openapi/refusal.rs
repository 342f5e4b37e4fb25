//! Examples of a service's refusals: the texts that it answers with.

use serde_json::Value;

use crate::http::body::{self, BodyRules};
use crate::http::description::documented_resource::{DocumentedResource, uniques};
use crate::http::description::sample;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::operation::list::cursor::invalid_cursor;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, FieldError, Problem};
use crate::query::assignments::Assignments;
use crate::query::visibility::FieldVisibility;
use crate::response::example;
use crate::store::mounted::options::ResourceOptions;
use crate::store::mounted::resource::MountedResource;
use crate::store::writer::kept_role::KeptRole;

/// Writes the responses with problems. Their examples are about the first resource of the service that can have each
/// problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusals<'a> {
    pub(crate) resources: &'a [DocumentedResource<'a>],
    /// The largest body, in bytes.
    pub(crate) body_limit: usize,
    /// The format of errors, if it is not the problem document.
    pub(crate) format: Option<&'a ProblemFormat>,
}

impl<'a> Refusals<'a> {
    /// A problem document with this code.
    pub(crate) fn example(&self, code: Code) -> Value {
        example(&self.problem(code).unwrap_or_else(|| Problem::of(code)))
    }

    /// A failed item of a batch, with this index and code.
    pub(crate) fn item(&self, index: usize, code: Code) -> Value {
        let mut item = self.example(code);
        if let Some(item) = item.as_object_mut() {
            item.shift_remove("type");
            item.shift_remove("title");
            item.shift_insert(0, "index".to_owned(), index.into());
        }
        item
    }

    fn problem(&self, code: Code) -> Option<Problem> {
        let offering = |operation| self.first(|resource| resource.offers(operation));
        let detail = match code {
            Code::ValidationFailed => return Some(self.validation()),
            Code::CursorInvalid => return Some(invalid_cursor()),
            Code::BodyTooLarge => format!("the body must have at most {} bytes", self.body_limit),
            Code::NotFound => {
                let resource = offering(Operation::Get)?;
                return Some(Problem::record_not_found(resource, id(resource)));
            }
            Code::NotDeleted => {
                let resource = offering(Operation::Restore)?;
                format!("{} with id {} is not deleted", resource.name, id(resource))
            }
            Code::HistoryIncomplete => {
                let resource = self.first(|resource| resource.options.descriptor.audit.is_some())?;
                format!("the audit log does not cover {} with id {} at that time", resource.name, id(resource))
            }
            Code::Conflict => {
                let resource = self.first(DocumentedResource::has_uniques)?;
                let columns = uniques(resource).next()?;
                return Some(Problem::from_adapter(resource, AdapterError::Unique { columns }));
            }
            Code::ReferenceNotFound => {
                let resource = self.first(DocumentedResource::refers)?;
                let columns = vec![resource.columns.iter().position(|column| column.references.is_some())?];
                return Some(Problem::from_adapter(resource, AdapterError::ReferenceNotFound { columns }));
            }
            Code::ConstraintFailed => {
                let resource = offering(Operation::Create)?;
                let column = resource.columns.iter().position(|column| !column.is_managed() && !column.hidden);
                return Some(Problem::from_adapter(resource, AdapterError::Constraint { column }));
            }
            Code::IllegalTransition => {
                let resource = self.first(|resource| resource.options.descriptor.transitions().next().is_some())?;
                let (index, transition) = resource.transitions().next()?;
                let (column, state) = (&resource.columns[index], (transition.to)());
                let allowed = column.transitions.iter().filter(|other| other.from.iter().any(|from| from() == state));
                let error = FieldError::field(column.json, "transition", format!("is `{state}` already"));
                return Some(Problem::with_errors(code, [error.with_allowed(allowed.map(|other| other.name))]));
            }
            Code::LastMember => {
                let resource = self.first(DocumentedResource::keeps_role)?;
                return KeptRole::of(resource).map(|kept| kept.refusal());
            }
            Code::BatchTooLarge => {
                let mut sizes = self.resources.iter().filter(|resource| resource.offers(Operation::BatchCreate));
                let most = sizes.next()?.options.batch?.max_size;
                let detail = format!("must have at most {most} items, found {}", u64::from(most) + 1);
                return Some(Problem::with_errors(
                    code,
                    [FieldError::pointer("/items", "too_many", detail).with_params([("max", most)])],
                ));
            }
            _ => return None,
        };
        Some(Problem::new(code, detail))
    }

    fn first(&self, has: impl Fn(&DocumentedResource<'a>) -> bool) -> Option<&'static Descriptor> {
        self.resources.iter().find(|resource| has(resource)).map(|resource| resource.options.descriptor)
    }

    /// The answer to the body `{}`, where a field is required; to an unknown parameter where none is.
    fn validation(&self) -> Problem {
        let mut creates = self.resources.iter().filter(|resource| resource.offers(Operation::Create));
        let refused = creates.find_map(|resource| refusal_of_nothing(resource.options));
        refused.unwrap_or_else(|| {
            Problem::validation([FieldError::parameter("pgae", "unknown", "is not a parameter of this request")])
        })
    }
}

/// A create's answer to the body `{}`.
fn refusal_of_nothing(options: &ResourceOptions) -> Option<Problem> {
    let view = FieldVisibility::new(options.descriptor, None);
    let assignments = Assignments::default();
    let mounted = MountedResource::new(options.clone()).ok()?;
    let rules = BodyRules { assignments, ..BodyRules::without_principal(&view) };
    body::parse(&mounted, &rules, b"{}").err()
}

/// The sample of a resource's key.
fn id(resource: &'static Descriptor) -> String {
    sample::key(resource).map(|key| key.to_string()).unwrap_or_default()
}
