use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    pub name: String,
    pub is_deleted: bool,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {
    let _ = NewProduct { name: String::new(), is_deleted: true };
    let _ = ProductPatch::default().deleted_at(None);
}
