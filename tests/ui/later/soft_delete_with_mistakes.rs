use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete(deleted_at = removed_at, deleted_at_field = "removed_at"))]
pub struct Product {
    pub id: i64,
}

fn main() {}
