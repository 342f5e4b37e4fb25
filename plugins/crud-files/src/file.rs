//! [`File`]: the type of a field that holds a file.

use serde::{Deserialize, Serialize};

/// A file of a record, as the record has it: its name, type, size and hash. The service stores the bytes elsewhere.
///
/// Clients cannot set it by JSON: `PUT {record}/{field}` uploads a file, and `DELETE` removes it. JSON has it with its `url`:
///
/// ```json
/// {"url": "/products/7/photo", "name": "a.jpg", "type": "image/jpeg", "size": 81234, "sha256": "9f86…"}
/// ```
///
/// The field is `Option<File>`: the record is there before its file. Several files are records of a child resource.
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
    /// The name that the sender gave it, without directories; made of the field's name and the type where it gave none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its first bytes, such as `image/png`.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The number of its bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The SHA-256 of its bytes, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}
