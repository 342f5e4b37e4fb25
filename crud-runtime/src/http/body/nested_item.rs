//! Items of a body that are records which refer to the body's own: the member that deletes one, and their number.

use crate::store::mounted::options::ResourceOptions;

/// The member of an item that deletes its record.
pub(crate) const DELETE: &str = "_delete";

/// Maximum number of items of a body, where their resource has no batches, whose limit is that of items too.
const MOST: u32 = 100;

/// Maximum number of items of a body.
pub(crate) fn most(options: &ResourceOptions) -> u32 {
    options.batch.map_or(MOST, |batch| batch.max_size)
}
