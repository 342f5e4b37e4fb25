//! Storage errors as problems.

use crate::model::adapter_error::{AdapterError, DiskFailure, FULL_DISK};
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, FieldError, Problem, chain};

/// Detail of a request whose changes would be of two tenants.
const ONE_TENANT: &str = "the changes of one request are of one tenant: send those of another one by themselves";

impl Problem {
    /// The problem that reports an adapter's error to a client.
    pub fn from_adapter(resource: &Descriptor, error: AdapterError) -> Self {
        match error {
            AdapterError::Unique { columns } => {
                Self::at_columns(resource, Code::Conflict, "unique", &columns, "is taken by another record")
            }
            AdapterError::ReferenceNotFound { columns } => Self::at_columns(
                resource,
                Code::ReferenceNotFound,
                "reference",
                &referring_together(resource, &columns),
                "refers to a record that does not exist",
            ),
            AdapterError::Constraint { column } => {
                let detail = "is refused by the database";
                Self::at_columns(resource, Code::ConstraintFailed, "constraint", column.as_slice(), detail)
            }
            AdapterError::Overlaps => {
                let start = resource.exclusives.first().map(|exclusive| exclusive.start);
                Self::at_columns(resource, Code::Conflict, "overlaps", start.as_slice(), "overlaps another record")
            }
            AdapterError::TooLarge { column } => {
                let detail = "makes the record larger than the database stores";
                Self::at_columns(resource, Code::BodyTooLarge, "too_large", column.as_slice(), detail)
            }
            AdapterError::Denied { source, .. } => {
                let cause = format!("table `{}`: {}", resource.table, chain(&*source));
                Self::with_source(Code::DeniedByDatabase, Code::DeniedByDatabase.detail(), cause)
            }
            error => Self::from_storage(error),
        }
    }

    /// The problem that reports a storage error that concerns no resource.
    #[doc(hidden)]
    pub fn from_storage(error: AdapterError) -> Self {
        match error {
            AdapterError::Unavailable(source) => {
                let is_of_disk = source.is::<DiskFailure>();
                let detail = if is_of_disk { FULL_DISK } else { Code::Unavailable.detail() };
                Self::with_source(Code::Unavailable, detail, source)
            }
            AdapterError::Timeout => Self::of(Code::Timeout),
            AdapterError::Undecided(source) => {
                let detail = "the database did not report the end of the change; it may have been applied";
                Self::with_source(Code::Timeout, detail, source)
            }
            AdapterError::Unsupported { what } => {
                Self::new(Code::UnsupportedHere, format!("the storage of this service does not support {what}"))
            }
            // Only the log names the tenants: the sender of the request may not know the other one.
            error @ AdapterError::OtherTenant { .. } => Self::with_source(Code::UnsupportedHere, ONE_TENANT, error),
            AdapterError::Referenced => Self::of(Code::Referenced),
            AdapterError::Denied { source, .. } => {
                Self::with_source(Code::DeniedByDatabase, Code::DeniedByDatabase.detail(), source)
            }
            AdapterError::Unique { .. } | AdapterError::UniqueIndex { .. } | AdapterError::Overlaps => {
                Self::of(Code::Conflict)
            }
            AdapterError::ReferenceNotFound { .. } => Self::of(Code::ReferenceNotFound),
            AdapterError::TooLarge { .. } => {
                Self::new(Code::BodyTooLarge, "the record is larger than the database stores")
            }
            AdapterError::Constraint { .. } => Self::of(Code::ConstraintFailed),
            error @ (AdapterError::MissingTable(_) | AdapterError::Unfit(_)) => {
                Self::with_source(Code::Unavailable, "the database does not fit this version of the service", error)
            }
            error @ (AdapterError::Corrupt { .. } | AdapterError::Other(_)) => Self::internal(error),
        }
    }

    /// Whether the disk of the database is full or fails.
    #[doc(hidden)]
    pub fn is_of_disk(&self) -> bool {
        std::error::Error::source(self).is_some_and(<dyn std::error::Error>::is::<DiskFailure>)
    }

    /// Whether the tables do not fit the structs.
    #[doc(hidden)]
    pub fn is_of_schema(&self) -> bool {
        let source = std::error::Error::source(self).and_then(|source| source.downcast_ref::<AdapterError>());
        matches!(source, Some(AdapterError::Corrupt { .. } | AdapterError::MissingTable(_) | AdapterError::Unfit(_)))
    }

    fn at_columns(resource: &Descriptor, code: Code, kind: &'static str, columns: &[usize], detail: &str) -> Self {
        // The client does not choose the tenant, which is left out where there are other columns.
        let tenant = resource.tenant.map(|tenant| tenant.column).filter(|_| columns.len() > 1);
        let columns = columns.iter().filter(|column| Some(**column) != tenant);
        let visible = columns.map(|column| &resource.columns[*column]).filter(|column| !column.hidden);
        let errors: Vec<_> = visible.map(|column| FieldError::field(column.json, kind, detail)).collect();
        if errors.is_empty() { Self::new(code, format!("a value {detail}")) } else { Self::with_errors(code, errors) }
    }
}

/// The columns, each with the other columns of its composite reference.
fn referring_together(resource: &Descriptor, columns: &[usize]) -> Vec<usize> {
    let mut all = Vec::with_capacity(columns.len());
    for column in columns {
        let together: &[usize] = resource.columns[*column].references.map_or(&[], |reference| reference.by);
        for column in together.iter().chain([column]) {
            if !all.contains(column) {
                all.push(*column);
            }
        }
    }
    all
}
