//! Projects as `crud` generates them: they are formatted, pass clippy's pedantic lints and their own tests, and serve.
//!
//! Slow: it compiles them, without the network, with the versions of this workspace and into its target directory,
//! where most of what a project needs is compiled already.

mod library;
mod members;
mod project;
mod server;
mod shelf;
