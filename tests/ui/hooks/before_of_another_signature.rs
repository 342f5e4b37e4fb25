use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(hooks(before = without_cx))]
pub struct Ticket {
    pub id: i64,
}

async fn without_cx(_: &mut Change<'_, Ticket>) -> Result<(), Problem> {
    Ok(())
}

#[derive(Resource)]
#[crud(hooks(before = shared))]
pub struct Part {
    pub id: i64,
}

async fn shared(_: &Change<'_, Part>, _: &mut Cx<'_>) -> Result<(), Problem> {
    Ok(())
}

#[derive(Resource)]
#[crud(hooks(before = of_another))]
pub struct Bill {
    pub id: i64,
}

async fn of_another(_: &mut Change<'_, Ticket>, _: &mut Cx<'_>) -> Result<(), Problem> {
    Ok(())
}

fn main() {}
