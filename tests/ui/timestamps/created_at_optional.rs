use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(created_at)]
    pub created_at: Option<DateTime<Utc>>,
}

fn main() {}
