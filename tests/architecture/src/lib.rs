//! [`Page`] reads a Markdown file, for the tests of the book. The tests check that the crates' imports lead down their floors,
//! that the book is whole, and that what documents name exists.

mod documents;

pub use documents::Page;
