use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(hooks(before = nothing))]
pub struct Ticket {
    pub id: i64,
}

async fn nothing(_: &mut Change<'_, Ticket>, _: &mut Cx<'_>) {}

#[derive(Resource)]
#[crud(hooks(after = other_error))]
pub struct Part {
    pub id: i64,
}

async fn other_error(_: &Done<'_, Part>, _: &mut Cx<'_>) -> Result<(), String> {
    Ok(())
}

#[derive(Resource)]
#[crud(hooks(committed = fallible))]
pub struct Bill {
    pub id: i64,
}

async fn fallible(_: Done<'static, Bill>, _: App) -> Result<(), Problem> {
    Ok(())
}

fn main() {}
