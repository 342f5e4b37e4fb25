//! [`Page`] reads a Markdown file, for the tests of the book; [`sources`] finds the files of Rust. The tests check that the
//! crates' imports lead down their floors, that the book is whole, that what documents name exists, and that public types
//! have examples.

mod documents;
mod sources;

pub use documents::Page;
pub use sources::sources;
