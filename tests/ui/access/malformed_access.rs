use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(access(raed = public, write = everybody, delete, get = role(admin), list = any(), all = public, all = public))]
pub struct Product {
    pub id: i64,
}

fn main() {}
