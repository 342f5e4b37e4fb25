use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub struct Status {
    pub name: String,
}

fn main() {}
