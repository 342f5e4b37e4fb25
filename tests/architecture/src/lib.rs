//! The imports of a crate, read from its source files: which file uses which, on what line, by what path.
//!
//! The source is read as tokens and need not compile, so this crate depends on none of those it reads.
//!
//! - `use` items count, and so does every path that starts with `crate`, `super`, `self` or a module in scope,
//!   inside functions and macro bodies too.
//! - A re-export is resolved to the file that defines the item.
//! - Items and modules under `#[cfg(test)]` are left out.
//! - Methods and trait implementations are not imports and are not seen.
//!
//! [`Page`] reads a Markdown file, for the tests of the book.

mod circles;
mod documents;
mod floors;
mod modules;
mod scan;
mod tree;

pub use circles::{Circle, circles};
pub use documents::Page;
pub use floors::{Floor, uphill};
pub use modules::{Import, Imports};
pub use tree::Tree;
