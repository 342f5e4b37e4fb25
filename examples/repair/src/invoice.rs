use std::sync::Arc;

use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Job};
use serde::{Deserialize, Serialize};

use crate::{Customer, Line, Shop, Ticket};

/// The invoice of a finished ticket. Its numbers are without gaps in each shop and year.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(year, customer_id),
    sort(year, number),
    default_sort(desc(year), desc(number)),
    pagination,
    audit,
    operations(list, get, history),
    unique(year, number),
    access(read(any(role("staff"), role("customer")))),
    scope(role("customer"), customer_id(claim("customer")))
)]
pub struct Invoice {
    pub id: i64,
    #[crud(tenant, references(Shop))]
    pub shop_id: i64,
    #[crud(references(Customer))]
    pub customer_id: i64,
    #[crud(references(Ticket), unique)]
    pub ticket_id: i64,
    pub year: i32,
    pub number: i32,
    #[crud(decimal(14, 2))]
    pub total: Decimal,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

/// Sends mail.
pub trait Mailer: Send + Sync + 'static {
    /// Sends a text to an address.
    ///
    /// # Errors
    /// When it cannot be sent now: it is tried again.
    fn send(&self, address: &str, text: &str) -> Result<(), String>;
}

/// Mails an invoice to its customer: at least once, after the commit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Mail {
    shop: i64,
    invoice: i64,
}

impl Job for Mail {
    const KIND: &str = "mail";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let invoice = app.store::<Invoice>().tenant(self.shop).get(self.invoice).await?;
        let customer = app.store::<Customer>().tenant(self.shop).get(invoice.customer_id).await?;
        let text = format!("Invoice {}/{}: {}", invoice.year, invoice.number, invoice.total);
        app.extension::<Arc<dyn Mailer>>()?.send(&customer.email, &text)?;
        Ok(())
    }
}

/// Writes the invoice of a ticket, and enqueues its mail.
pub(crate) async fn write(ticket: &Ticket, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let lines = ctx.as_program().store::<Line>().list(Line::FIELDS.ticket_id.eq(ticket.id)).await?;
    let total = lines.iter().map(|line| line.price * Decimal::from(line.quantity)).sum();
    let year = ctx.now().year();
    let number = ctx.next_number(&format!("invoice/{}", ticket.shop_id), year).await?;
    let invoice = NewInvoice {
        shop_id: None,
        customer_id: ticket.customer_id,
        ticket_id: ticket.id,
        year,
        number: i32::try_from(number).map_err(Problem::internal)?,
        total,
    };
    let invoice = ctx.as_program().store::<Invoice>().create(invoice).await?;
    ctx.enqueue(Mail { shop: ticket.shop_id, invoice: invoice.id }).await?;
    Ok(())
}
