use crud_runtime::prelude::*;

use crate::{Customer, Device, Status, Ticket};

/// A ticket that is not finished, with what the workshop's board shows beside it.
#[derive(Debug, Clone, Resource)]
#[crud(view(include_str!("board.sql"), reads(Ticket, Customer, Device)))]
#[crud(
    table = "board",
    prefix = "/board",
    filter(status, urgent, customer),
    sort(due, customer),
    default_sort(desc(urgent), due),
    pagination,
    access(read(any(role("staff"), role("customer")))),
    scope(role("customer"), customer_id(claim("customer")))
)]
pub struct BoardTicket {
    pub id: i64,
    #[crud(tenant)]
    pub shop_id: i64,
    pub customer_id: i64,
    pub customer: String,
    pub device: String,
    pub status: Status,
    #[crud(sort)]
    pub urgent: bool,
    pub due: Option<NaiveDate>,
}
