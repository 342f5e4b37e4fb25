//! Rules of the repository as a whole.
//!
//! | Rule | Modules |
//! |---|---|
//! | Imports lead down the floors of a crate, and circles of them are small | `circles`, `floors` |
//! | What documents name exists and can be imported, the book is whole, and errors are quoted as they are shown | `book`, `errors`, `imports`, `map`, `one_file` |
//! | Each suite has a map that names its files | `cases` |
//! | Public types have an example, and attributes of examples are formatted | `attributes`, `examples` |
//! | Plugins have no privilege | `plugins` |
//! | A test waits for events; a target without a harness has no unit tests | `harnesses`, `waits` |
//! | Markdown and the files of Rust are read | `documents`, `module_graph`, `sources` |

#![cfg(test)]

mod attributes;
mod book;
mod cases;
mod circles;
mod documents;
mod errors;
mod examples;
mod floors;
mod harnesses;
mod imports;
mod map;
mod module_graph;
mod one_file;
mod plugins;
mod sources;
mod waits;
