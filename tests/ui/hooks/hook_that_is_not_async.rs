use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(hooks(before = before, after = after, committed = committed))]
pub struct Ticket {
    pub id: i64,
}

fn before(_: &mut Change<'_, Ticket>, _: &mut Cx<'_>) -> Result<(), Problem> {
    Ok(())
}

fn after(_: &Done<'_, Ticket>, _: &mut Cx<'_>) -> Result<(), Problem> {
    Ok(())
}

fn committed(_: Done<'static, Ticket>, _: App) {}

fn main() {}
