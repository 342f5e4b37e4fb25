use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(tabel = "a", tagz("b"))]
pub struct Product {
    #[crud(idd)]
    pub id: i64,
    #[crud(uniqe, idnex)]
    pub name: String,
}

fn main() {}
