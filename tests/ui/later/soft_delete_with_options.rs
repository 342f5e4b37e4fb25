use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = removed_at, include_deleted_by_default, auto_restore_on_update = true))]
pub struct Product {
    pub id: i64,
    pub removed_at: Option<DateTime<Utc>>,
}

fn main() {}
