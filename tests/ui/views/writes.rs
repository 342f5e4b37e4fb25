use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
struct Ticket {
    id: i64,
    title: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(view = "SELECT id, title FROM tickets", depends(Ticket))]
struct Board {
    id: i64,
    title: String,
}

async fn write(service: &Service, tx: &mut Tx<'_>) -> crud_runtime::Result<()> {
    let boards = service.store::<Board>();
    boards.create(NewBoard { title: "x".into() }).await?;
    boards.update(1, BoardPatch::default()).await?;
    boards.delete(1).await?;
    tx.store::<Board>().lock(1).await?;
    Ok(())
}

fn main() {}
