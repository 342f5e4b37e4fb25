use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    #[crud(unique(activ))]
    pub code: String,
    #[crud(unique = active)]
    pub name: String,
    #[crud(unique())]
    pub sku: String,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
