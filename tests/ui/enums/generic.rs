use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub enum Status<const N: usize> {
    Pending,
}

fn main() {}
