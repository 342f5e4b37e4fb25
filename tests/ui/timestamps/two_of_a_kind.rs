use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(created_at)]
    pub a: DateTime<Utc>,
    #[crud(created_at)]
    pub b: DateTime<Utc>,
    #[crud(updated_at)]
    pub c: DateTime<Utc>,
    #[crud(updated_at)]
    pub d: DateTime<Utc>,
}

fn main() {}
