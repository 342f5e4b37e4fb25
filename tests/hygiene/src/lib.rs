//! The derive in surroundings that a careless expansion would not survive. What stands here need only
//! compile, under every lint below and under clippy, with the runtime called by another name.

#![deny(warnings, missing_docs, unnameable_types, unreachable_pub, missing_debug_implementations)]
#![deny(unused_qualifications, single_use_lifetimes, missing_copy_implementations, trivial_casts)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

extern crate self as facade;

mod awkward_names;
mod beside_other_derives;
mod by_macro;
mod in_functions;
mod no_implicit_prelude;
mod prelude_as_json;
mod private;
pub mod public;
mod raw_identifiers;
mod through_a_facade;
mod twice;

/// The runtime, as a crate of the user's own passes it on.
pub mod crud {
    pub use renamed::*;
}
