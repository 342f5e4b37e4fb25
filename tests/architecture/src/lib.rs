//! [`Page`] reads a Markdown file, for the tests of the book. The tests check that the crates' imports lead down their floors,
//! that the book is whole, that what documents name exists, and that public types have examples.

mod documents;

pub use documents::Page;
