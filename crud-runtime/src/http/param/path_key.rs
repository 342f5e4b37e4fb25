//! The key of a record in a path.

use percent_encoding::percent_decode_str;

use crate::model::column_error::ColumnError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;

/// Reads the key in a path. `decoded`: its segment, with percent-encoding undone, as routers have it.
///
/// The parts of a composite key are separated by the commas that the path has as it is sent: `/lines/a%2Cb,3` has the
/// parts `a,b` and `3`. A client that encodes the text of a key once more is understood too: `/lines/a%252Cb%2C3`.
///
/// # Errors
/// The error states the legal form.
pub(crate) fn path_key(resource: &Descriptor, path: &str, decoded: &str) -> Result<Key, ColumnError> {
    if resource.key().len() == 1 {
        return Key::parse(resource, decoded);
    }
    // Segments after the key are fixed words of routes.
    let is_key = |segment: &&str| percent_decode_str(segment).decode_utf8().is_ok_and(|text| text == decoded);
    let sent = path.rsplit('/').find(is_key).filter(|segment| segment.contains(','));
    Key::parse(resource, sent.unwrap_or(decoded))
}
