use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(owner(unless = role("admin")))]
    pub user_id: i64,
    #[crud(owner = true)]
    pub other_id: i64,
}

fn main() {}
