//! [`FileOptions`]: the attribute `file(…)` of a field.

use crate::media_type;
use crate::size;

/// Default limit of a file's size, in bytes.
const DEFAULT_MAX: u64 = 10_000_000;

/// Options of a field of the type [`File`](crate::File): `#[crud(file(max = "10MB", types("image/png",
/// "image/jpeg")))]`. Each option is a method.
///
/// ```
/// use crud_files::FileOptions;
///
/// const PHOTO: FileOptions = FileOptions::new().max("10MB").types(&["image/png", "image/jpeg"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FileOptions {
    pub(crate) max: u64,
    pub(crate) types: &'static [&'static str],
    pub(crate) is_held: bool,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl FileOptions {
    /// Options for files of at most `10MB`, without types. A service refuses to start until types are set.
    pub const fn new() -> Self {
        Self { max: DEFAULT_MAX, types: &[], is_held: false }
    }

    /// Sets the largest size: a number with `KB`, `MB`, `GB` (powers of 1,000), or `KiB`, `MiB`, `GiB` (powers of 1,024).
    ///
    /// # Panics
    /// For another text; in a constant, the compiler refuses it.
    #[must_use]
    pub const fn max(self, size: &str) -> Self {
        let Some(max) = size::parse(size) else {
            panic!("expected a size such as `10MB`: a number with `KB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`")
        };
        Self { max, ..self }
    }

    /// Sets the types that files may have, by their first bytes: `image/png`, `image/*` for all images but SVG, or
    /// `*/*` for every file. SVG must be named itself, as it may contain scripts.
    ///
    /// # Panics
    /// For a text that is not a type; in a constant, the compiler refuses it.
    #[must_use]
    pub const fn types(self, types: &'static [&'static str]) -> Self {
        let mut index = 0;
        while index < types.len() {
            assert!(media_type::is_pattern(types[index]), "expected a type such as `image/png`, `image/*` or `*/*`");
            index += 1;
        }
        Self { types, ..self }
    }

    /// Holds each file: downloads are answered with 409 until [`Files::release`](crate::Files::release).
    #[must_use]
    pub const fn hold(self) -> Self {
        Self { is_held: true, ..self }
    }

    /// Whether a file of this type may be stored.
    pub(crate) fn admits(&self, media_type: &str) -> bool {
        self.types.iter().any(|pattern| media_type::matches(pattern, media_type))
    }
}

#[cfg(test)]
mod tests {
    use super::FileOptions;

    #[test]
    fn field_admits_the_types_that_it_names() {
        let images = FileOptions::new().types(&["image/*", "application/pdf"]);
        let admitted = ["image/png", "application/pdf", "image/svg+xml", "text/html"].map(|kind| images.admits(kind));
        assert_eq!(admitted, [true, true, false, false]);
        assert!(FileOptions::new().types(&["*/*"]).admits("text/html"));
        assert!(!FileOptions::new().admits("image/png"));
    }
}
