use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(default_sort(-creatd_at))]
pub struct Product {
    pub id: i64,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

fn main() {}
