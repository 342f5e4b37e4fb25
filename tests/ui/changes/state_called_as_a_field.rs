use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    #[crud(rename = "is_deleted")]
    pub gone: bool,
    pub deleted_at: Option<DateTime<Utc>>,
}

#[derive(Resource)]
#[crud(soft_delete, rename_all = "camelCase")]
pub struct Order {
    pub id: i64,
    #[crud(rename = "isDeleted")]
    pub gone: bool,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
