use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete(deleted_at = removed_at, deleted_at_field = "removed_at", include_deleted, auto_restore_on_update = 1))]
pub struct Product {
    pub id: i64,
    pub removed_at: Option<DateTime<Utc>>,
}

#[derive(Resource)]
#[crud(soft_delete = true)]
pub struct Order {
    pub id: i64,
    pub deleted_at: Option<DateTime<Utc>>,
}

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = "removed_at"), batch(mode = 5), audit(track_user = "no"))]
#[crud(only(restore, batch, history))]
pub struct Basket {
    pub id: i64,
    #[crud(unique(active))]
    pub name: String,
    pub removed_at: Option<DateTime<Utc>>,
}

fn main() {}
