//! Nested records in a body: the member that deletes one, and their maximum number.

use crate::store::mounted::options::ResourceOptions;

/// The member of an item that deletes its record.
pub(crate) const DELETE: &str = "_delete";

/// Maximum number of items of a body, where their resource has no batches; otherwise the limit of batches applies.
const MOST: u32 = 100;

/// Maximum number of items of a body.
pub(crate) fn most(options: &ResourceOptions) -> u32 {
    options.batch.map_or(MOST, |batch| batch.max_size)
}
