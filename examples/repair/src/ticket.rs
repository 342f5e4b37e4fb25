use crud_runtime::error::Problem;
use crud_runtime::prelude::*;

use crate::{Customer, Device, Line, Part, PartPatch, Shop, invoice};

/// Status of the work on a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum Status {
    Open,
    InProgress,
    Done,
    Cancelled,
}

/// A device to repair.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(status, customer_id, urgent),
    sort(created_at, due),
    default_sort(desc(created_at)),
    pagination,
    audit,
    access(read(any(role("staff"), role("customer"))), create(any(role("staff"), role("customer")))),
    scope(role("customer"), customer_id(claim("customer"))),
    hooks(before(of_its_customer), after(settle), validate(due_if_urgent))
)]
pub struct Ticket {
    pub id: i64,
    #[crud(tenant, references(Shop))]
    pub shop_id: i64,
    #[crud(references(Customer))]
    pub customer_id: i64,
    #[crud(references(Device))]
    pub device_id: i64,
    #[crud(length(min = 1, max = 500))]
    pub problem: String,
    #[crud(default = false)]
    pub urgent: bool,
    pub due: Option<NaiveDate>,
    #[crud(
        default(Status::Open),
        transitions(
            start(Open, InProgress, role("staff")),
            finish(InProgress, Done, role("staff")),
            cancel(any(Open, InProgress), Cancelled, role("staff"))
        )
    )]
    pub status: Status,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

fn due_if_urgent(changeset: &mut Changeset<'_, Ticket>) {
    if changeset.get(Ticket::FIELDS.urgent) == Some(true) && changeset.get(Ticket::FIELDS.due).flatten().is_none() {
        changeset.add_error(Ticket::FIELDS.due, "due_required", "must be set for an urgent ticket");
    }
}

async fn of_its_customer(changeset: &mut Changeset<'_, Ticket>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let fields = Ticket::FIELDS;
    let (customer, device) = (changeset.get(fields.customer_id), changeset.get(fields.device_id));
    if let Some(device) =
        device.filter(|_| changeset.changed(fields.device_id) || changeset.changed(fields.customer_id))
    {
        // A missing device is reported by the check of the reference.
        let found = ctx.as_program().store::<Device>().find(device).await?;
        if found.is_some_and(|device| Some(device.customer_id) != customer) {
            return Err(Problem::at(fields.device_id, "customer", "must be a device of the ticket's customer"));
        }
    }
    Ok(())
}

/// Writes the invoice of a finished ticket, and puts back the parts of a cancelled one.
async fn settle(change: &Changed<'_, Ticket>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let ticket = change.record();
    if change.became(Ticket::FIELDS.status, Status::Done) {
        invoice::write(ticket, ctx).await?;
    }
    if change.became(Ticket::FIELDS.status, Status::Cancelled) {
        for line in ctx.as_program().store::<Line>().list(Line::FIELDS.ticket_id.eq(ticket.id)).await? {
            let back = PartPatch::default().add(Part::FIELDS.stock, line.quantity);
            ctx.as_program().store::<Part>().update(line.part_id, back).await?;
        }
    }
    Ok(())
}
