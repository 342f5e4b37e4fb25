use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(updated_at, immutable)]
    pub at: DateTime<Utc>,
}

fn main() {}
