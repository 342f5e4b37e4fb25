use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(audit(track_change = true, track_user = 1))]
pub struct Product {
    pub id: i64,
}

fn main() {}
