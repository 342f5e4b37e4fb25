//! [`Counter`]: the last number of each counter.

use crate::Resource;

/// A counter, in the table `crud_counters`: the last number that was given.
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_counters", new), prefix = "/_service/counters")]
pub(crate) struct Counter {
    /// The counter's name and its period, such as `invoice/2026`.
    #[crud(length(max = 255))]
    pub(in crate::store) id: String,
    pub(in crate::store) value: i64,
}
