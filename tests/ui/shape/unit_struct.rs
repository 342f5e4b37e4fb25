use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product;

fn main() {}
