//! The resources, a file each. `crud generate` adds lines between the marks.

use crud_runtime::Service;

// <crud:modules>
pub mod author;
pub mod authorship;
pub mod book;
pub mod long_book;
pub mod publisher;
pub mod visit;
// </crud:modules>

/// Adds the resources to a service.
pub fn add(service: Service) -> Service {
    service
        .title("Demo API")
        // <crud:resources>
        .resource::<author::Author>()
        .resource::<authorship::Authorship>()
        .resource::<book::Book>()
        .resource::<long_book::LongBook>()
        .resource::<publisher::Publisher>()
        .resource::<visit::Visit>()
        // </crud:resources>
        .version(env!("CARGO_PKG_VERSION"))
}
