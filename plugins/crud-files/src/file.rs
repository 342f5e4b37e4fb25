//! [`File`]: the type of a field that holds a file.

use serde::{Deserialize, Serialize};

/// A file of a record, as stored in the record: its name, type, size and hash. The bytes are stored elsewhere.
///
/// Clients cannot set it by JSON: `PUT {record}/{field}` uploads a file, and `DELETE` removes it. In JSON, it also has
/// its `url`:
///
/// ```json
/// {"url": "/products/7/photo", "name": "a.jpg", "type": "image/jpeg", "size": 81234, "sha256": "9f86…"}
/// ```
///
/// The field is `Option<File>`, as a record is created before its file. For several files, use records of a child
/// resource.
///
/// ```
/// use crud_files::File;
///
/// fn words(photo: &Option<File>) -> String {
///     photo.as_ref().map_or_else(|| "none".into(), |file| format!("{}, {} bytes", file.name(), file.size()))
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) media_type: String,
    pub(crate) size: u64,
    pub(crate) sha256: String,
}

impl File {
    /// The name that the sender stated, without directories; otherwise one from the field's name and the type.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type, detected from the first bytes, such as `image/png`.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The number of bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The SHA-256 of the bytes, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}
