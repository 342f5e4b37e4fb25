use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(owner(except = role("admin")))]
    pub user_id: i64,
}

fn main() {}
