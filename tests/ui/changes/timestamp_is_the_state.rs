use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = is_deleted))]
pub struct Product {
    pub id: i64,
    pub is_deleted: bool,
}

fn main() {}
