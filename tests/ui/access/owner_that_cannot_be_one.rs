use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Note {
    pub id: i64,
    #[crud(owner)]
    pub of_price: f64,
    #[crud(owner)]
    pub of_other: i64,
}

#[derive(Resource)]
pub struct Memo {
    pub id: i64,
    #[crud(owner, immutable, default = 7)]
    pub user_id: i64,
}

#[derive(Resource)]
pub struct Entry {
    #[crud(owner)]
    pub id: i64,
}

fn main() {}
