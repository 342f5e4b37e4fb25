//! A hook says with whose eyes a store reads: the caller may see fewer records than a rule is about.

use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(hooks(after = check))]
pub struct Booking {
    pub id: i64,
    pub room: i32,
}

async fn check(done: &Done<'_, Booking>, cx: &mut Cx<'_>) -> Result<(), Problem> {
    cx.store::<Booking>().get(done.new().id).await?;
    cx.tx().store::<Booking>().get(done.new().id).await?;
    Ok(())
}

fn main() {}
