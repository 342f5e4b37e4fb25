use crud_runtime::error::Problem;
use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
struct Ticket {
    id: i64,
    title: String,
}

fn check(_: &Candidate<'_, Board>, _: &mut Errors<'_, Board>) {}

async fn check_in(_: &mut Change<'_, Board>, _: &mut Cx<'_>) -> Result<(), Problem> {
    Ok(())
}

#[derive(Debug, Clone, Resource)]
#[crud(
    view = "SELECT * FROM tickets",
    depends(Ticket),
    soft_delete,
    batch,
    audit,
    validate = check,
    hooks(before = check_in),
    unique(title, room),
    index(title)
)]
struct Board {
    id: i64,
    #[crud(unique, index)]
    title: String,
    #[crud(references = Ticket, on_delete = restrict)]
    room: i64,
    deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
