use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(hooks(committed = borrowed))]
pub struct Ticket {
    pub id: i64,
}

async fn borrowed(_: &Done<'_, Ticket>, _: &mut Cx<'_>) {}

fn main() {}
