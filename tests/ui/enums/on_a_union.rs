use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub union Status {
    pub a: i64,
}

fn main() {}
