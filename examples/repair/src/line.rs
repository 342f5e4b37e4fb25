use crud_runtime::error::Problem;
use crud_runtime::prelude::*;

use crate::{Part, PartPatch, Shop, Status, Ticket};

/// A part that is used for a ticket.
#[derive(Debug, Clone, Resource)]
#[crud(
    prefix = "/lines",
    filter(ticket_id, part_id),
    pagination,
    batch,
    audit,
    operations(list, get, create, delete, batch, history),
    hooks(before(book))
)]
pub struct Line {
    pub id: i64,
    #[crud(tenant, references(Shop))]
    pub shop_id: i64,
    #[crud(references(Ticket))]
    pub ticket_id: i64,
    #[crud(references(Part))]
    pub part_id: i64,
    #[crud(range(min = 1, max = 1000))]
    pub quantity: i32,
    /// The price of one when it was taken.
    #[crud(read_only, default(Decimal::ZERO), decimal(12, 2))]
    pub price: Decimal,
}

/// Takes the parts of a line from the stock, or puts them back.
async fn book(changeset: &mut Changeset<'_, Line>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let fields = Line::FIELDS;
    let (Some(ticket), Some(part), Some(quantity)) =
        (changeset.get(fields.ticket_id), changeset.get(fields.part_id), changeset.get(fields.quantity))
    else {
        return Ok(());
    };
    let ticket = ctx.as_program().store::<Ticket>().lock(ticket).await?;
    if ticket.status != Status::InProgress {
        return Err(Problem::at(fields.ticket_id, "status", "must be a ticket in progress"));
    }
    let (parts, stock) = (ctx.as_program().store::<Part>(), Part::FIELDS.stock);
    if changeset.operation() == Operation::Create {
        let taken = parts.update_if(part, stock.gte(quantity), PartPatch::default().add(stock, -quantity)).await?;
        let part = taken.ok_or_else(|| Problem::at(fields.quantity, "stock", "not enough in stock"))?;
        changeset.set(fields.price, part.price);
    } else {
        parts.update(part, PartPatch::default().add(stock, quantity)).await?;
    }
    Ok(())
}
