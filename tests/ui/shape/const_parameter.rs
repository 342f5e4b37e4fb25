use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product<const N: usize> {
    pub id: i64,
    pub name: [u8; N],
}

fn main() {}
