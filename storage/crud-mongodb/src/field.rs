//! The fields of a document: those of columns, and those that the adapter keeps beside them.

use crate::model::descriptor::Descriptor;

/// The key, whatever its column is called.
pub(super) const KEY: &str = "_id";

/// The version, which every change of the record counts up.
pub(super) const VERSION: &str = "_v";

/// The values that are unique, by index: see [`unique`](super::unique).
pub(super) const UNIQUE: &str = "_u";

/// The number of references to the record that forbid its removal.
pub(super) const STRONG: &str = "_r";

/// The number of references to the record that cascade, or become null, when it is removed.
pub(super) const WEAK: &str = "_w";

/// The time at which the last reference to the record began, in microseconds since 1970.
pub(super) const REFERRED: &str = "_t";

/// The outbox: audit entries that are not in their log yet.
pub(super) const OUTBOX: &str = "_out";

/// Field that is present while something remains to be done for the record.
pub(super) const PENDING: &str = "_p";

/// Field that is present once the record is removed. Its document is deleted once the dependent documents are handled.
pub(super) const GONE: &str = "_gone";

/// The field of a column. The parts of a composite key have fields beside the document in [`KEY`].
pub(super) fn field(resource: &Descriptor, column: usize) -> &'static str {
    if resource.key() == [column] { KEY } else { resource.columns[column].column }
}

/// Reason why a collection or field cannot have this name, if there is one.
pub(super) fn refusal(name: &str) -> Option<&'static str> {
    if name.starts_with('_') {
        Some("must not begin with `_`: such names are the adapter's")
    } else if name.starts_with('$') || name.starts_with("system.") {
        Some("must not begin with `$` or `system.`: such names are the server's")
    } else if name.contains(['.', '$', '\0']) {
        Some("must not contain `.`, `$` or NUL")
    } else {
        None
    }
}
