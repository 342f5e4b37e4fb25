use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Category {
    #[crud(default = "none", max_length = 20)]
    pub id: String,
}

fn main() {}
