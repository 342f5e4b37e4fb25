//! The resources, a file each. `crud generate` adds lines between the marks.

use crud_runtime::Service;

// <crud:modules>
pub mod access_token;
pub mod account;
pub mod account_extra;
pub mod account_list_record;
pub mod author;
pub mod authorship;
pub mod book;
pub mod lent_book;
pub mod loan;
pub mod mood;
pub mod price;
pub mod publisher;
pub mod reader;
pub mod reader_card;
pub mod readers;
pub mod review;
pub mod review_text;
pub mod shelf;
pub mod sign_in;
pub mod squared;
pub mod stock_take;
pub mod visit;
// </crud:modules>

/// Adds the resources to a service.
pub fn add(service: Service) -> Service {
    service
        .title("Demo API")
        // <crud:resources>
        .resource::<access_token::AccessToken>()
        .resource::<account::Account>()
        .resource::<account_extra::AccountExtra>()
        .resource::<account_list_record::AccountListRecord>()
        .resource::<author::Author>()
        .resource::<authorship::Authorship>()
        .resource::<book::Book>()
        .resource::<lent_book::LentBook>()
        .resource::<loan::Loan>()
        .resource::<price::Price>()
        .resource::<publisher::Publisher>()
        .resource::<reader::Reader>()
        .resource::<reader_card::ReaderCard>()
        .resource::<readers::Readers>()
        .resource::<review::Review>()
        .resource::<review_text::ReviewText>()
        .resource::<shelf::Shelf>()
        .resource::<sign_in::SignIn>()
        .resource::<squared::Squared>()
        .resource::<stock_take::StockTake>()
        .resource::<visit::Visit>()
        // </crud:resources>
        .openapi(|document| document.version(env!("CARGO_PKG_VERSION")))
}
