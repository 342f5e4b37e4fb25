use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(id)]
    pub serial_number: i64,
    pub name: String,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

fn main() {
    let _ = NewProduct { serial_number: 1, name: String::new() };
    let _ = ProductPatch::default().serial_number(5);
}
