use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(created_at, default = Utc::now())]
    pub at: DateTime<Utc>,
}

fn main() {}
