use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub enum Status {
    Pending,
}

#[derive(Resource)]
pub struct Order {
    pub id: i64,
    #[crud(default = "Pending")]
    pub status: Status,
}

fn main() {}
