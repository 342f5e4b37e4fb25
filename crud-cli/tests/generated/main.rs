//! Projects as `crud` generates them: they are formatted, pass clippy's pedantic lints and their own tests, and serve.
//!
//! Slow: it compiles them, without the network, with the versions of this workspace and into its target directory,
//! where most of what a project needs is compiled already. The runtime is compiled once for all of them: with the
//! features of a new project. `CRUD_TEST_LONG=generated` compiles it with those of a project for a server too.

mod library;
mod members;
mod project;
mod server;
mod shelf;
