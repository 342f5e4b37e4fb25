use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(audit(track_changes = true, track_user = false, track_timestamp))]
pub struct Product {
    pub id: i64,
}

fn main() {}
