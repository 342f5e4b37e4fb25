#![deny(unused_must_use)]

use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub name: String,
}

fn main() {
    ProductPatch::default().name("Chair");
}
