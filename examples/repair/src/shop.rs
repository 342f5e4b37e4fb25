use crud_runtime::prelude::*;

/// A shop, which the operator of the service creates.
#[derive(Debug, Clone, Resource)]
#[crud(sort(name), pagination, audit, access(read(authenticated), write(role("operator"))))]
pub struct Shop {
    pub id: i64,
    #[crud(unique, length(min = 1, max = 100))]
    pub name: String,
}
