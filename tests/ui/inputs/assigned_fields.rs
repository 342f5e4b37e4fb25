use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub name: String,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

fn main() {
    let _ = NewProduct { id: 1, name: String::new() };
    let _ = ProductPatch::default().id(5);
}
