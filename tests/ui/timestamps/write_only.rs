use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(created_at, write_only)]
    pub at: DateTime<Utc>,
}

fn main() {}
