//! The resources, a file each. `crud generate` adds lines between the marks.

use crud_runtime::Service;

// <crud:modules>
pub mod account;
pub mod authorship;
pub mod book;
pub mod counted;
pub mod long_book;
pub mod publisher;
pub mod session;
pub mod sign_in;
pub mod versioned;
pub mod visit;
// </crud:modules>

/// Adds the resources to a service.
pub fn add(service: Service) -> Service {
    service
        .title("Demo API")
        // <crud:resources>
        .resource::<account::Account>()
        .resource::<authorship::Authorship>()
        .resource::<book::Book>()
        .resource::<counted::Counted>()
        .resource::<long_book::LongBook>()
        .resource::<publisher::Publisher>()
        .resource::<session::Session>()
        .resource::<sign_in::SignIn>()
        .resource::<versioned::Versioned>()
        .resource::<visit::Visit>()
        // </crud:resources>
        .openapi(|document| document.version(env!("CARGO_PKG_VERSION")))
}
