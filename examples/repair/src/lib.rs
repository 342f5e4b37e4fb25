//! A repair shop's back end: customers bring devices, staff work on tickets and take parts from the stock, and a finished
//! ticket becomes an invoice, which is mailed. Several shops share it as tenants.
//!
//! The rules, each in the file of its resource:
//!
//! - A ticket is of a device of its customer, and an urgent one has a date (`ticket`).
//! - Parts are taken from the stock in the transaction that books them, and go back with the line (`line`).
//! - Finishing a ticket makes its invoice, with a number without gaps in each shop and year, and enqueues a mail
//!   (`ticket`, `invoice`).
//! - The board is a view: the tickets that are not finished, with the names of their customers (`board`).

#![allow(missing_docs, reason = "the names of the fields say what they are")]

mod board;
mod customer;
mod device;
mod invoice;
mod line;
mod part;
mod shop;
mod ticket;

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::Service;
use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, AuthBuilder};

pub use self::board::BoardTicket;
pub use self::customer::{Customer, NewCustomer};
pub use self::device::{Device, NewDevice};
pub use self::invoice::{Invoice, Mailer};
pub use self::line::{Line, NewLine};
pub use self::part::{NewPart, Part, PartPatch};
pub use self::shop::{NewShop, Shop};
pub use self::ticket::{NewTicket, Status, Ticket};

/// The authentication: the claim `shop` is the tenant; a customer's claim `customer` is the customer's id.
pub fn auth() -> AuthBuilder {
    Auth::builder().tenant_claim("shop")
}

/// The service with the repair shop's resources and jobs.
pub fn repair(service: Service, mailer: impl Mailer) -> Service {
    service
        .access(|access| access.default_access(Access::Role("staff")))
        .resource::<Shop>()
        .resource::<Customer>()
        .resource::<Device>()
        .resource::<Part>()
        .resource::<Ticket>()
        .resource::<Line>()
        .resource::<Invoice>()
        .resource::<BoardTicket>()
        .extension::<Arc<dyn Mailer>>(Arc::new(mailer))
        .job::<invoice::Mail>()
        .limits(|limits| limits.job_timeout(Duration::from_secs(10)))
}
