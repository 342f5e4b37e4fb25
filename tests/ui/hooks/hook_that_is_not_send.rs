use crud_runtime::prelude::*;

use std::rc::Rc;

#[derive(Resource)]
#[crud(hooks(after = count, other_writes))]
pub struct Ticket {
    pub id: i64,
}

async fn count(_: &Done<'_, Ticket>, cx: &mut Cx<'_>) -> Result<(), Problem> {
    let seen = Rc::new(1);
    wait(cx).await;
    drop(seen);
    Ok(())
}

async fn wait(_: &mut Cx<'_>) {}

fn main() {}
