//! The triggers that keep an index of words in step with its table.

/// The events for which an index of words has triggers.
pub(in crate::sqlite) const TRIGGERED: [&str; 3] = ["insert", "update", "delete"];

/// The condition that a trigger, `t`, is one of an index of words, which is the virtual table `x`.
pub(in crate::sqlite) const OF_SEARCH: &str = "x.type = 'table' AND x.name GLOB \
    'search_[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]_*' \
    AND t.name IN (x.name || '_insert', x.name || '_update', x.name || '_delete')";
