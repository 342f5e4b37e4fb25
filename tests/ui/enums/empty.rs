use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub enum Status {}

fn main() {}
