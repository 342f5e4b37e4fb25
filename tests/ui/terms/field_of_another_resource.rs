use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
}

#[derive(Resource)]
pub struct Category {
    pub id: i64,
}

fn main() {
    let _ = Product::FIELDS.id.eq(1).and(Category::FIELDS.id.eq(1));
}
