use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete(auto_restore_on_update, auto_restore_on_update = false), soft_delete)]
#[crud(batch, batch(max_size = 5, max_size = 6), audit, audit(track_user = false))]
pub struct Product {
    pub id: i64,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
