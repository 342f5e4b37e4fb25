//! The resources, a file each. `crud generate` adds lines between the marks.

use crud_runtime::Service;

// <crud:modules>
pub mod account;
pub mod account_extra;
pub mod author;
pub mod authorship;
pub mod book;
pub mod long_book;
pub mod publisher;
pub mod sign_in;
pub mod visit;
pub mod visited;
// </crud:modules>

/// Adds the resources to a service.
pub fn add(service: Service) -> Service {
    service
        .title("Demo API")
        // <crud:resources>
        .resource::<account::Account>()
        .resource::<account_extra::AccountExtra>()
        .resource::<author::Author>()
        .resource::<authorship::Authorship>()
        .resource::<book::Book>()
        .resource::<long_book::LongBook>()
        .resource::<publisher::Publisher>()
        .resource::<sign_in::SignIn>()
        .resource::<visit::Visit>()
        .resource::<visited::Visited>()
        // </crud:resources>
        .openapi(|document| document.version(env!("CARGO_PKG_VERSION")))
}
