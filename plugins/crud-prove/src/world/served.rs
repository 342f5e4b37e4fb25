//! [`Served`]: a resource, as the service serves it.

use crud_runtime::Model;
use crud_runtime::descriptor::{Batch, Descriptor, Pagination};

/// A resource, as the service serves it.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) descriptor: &'static Descriptor,
    pub(crate) prefix: String,
    pub(crate) pagination: Option<Pagination>,
    pub(crate) batch: Option<Batch>,
}

pub(super) fn served(model: &Model) -> Vec<Served> {
    let served = model.resources().map(|it| Served {
        descriptor: it.descriptor(),
        prefix: it.prefix().to_owned(),
        pagination: it.pagination(),
        batch: it.batch(),
    });
    served.collect()
}

/// The position of a resource. Options may have copied its descriptor, so names are compared.
pub(super) fn position(served: &[Served], descriptor: &Descriptor) -> Option<usize> {
    let name = |of: &Descriptor| (of.name, of.module);
    served.iter().position(|it| name(it.descriptor) == name(descriptor))
}
