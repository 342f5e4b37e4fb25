use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    pub deleted_at: DateTime<Utc>,
}

fn main() {}
