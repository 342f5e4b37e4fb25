use crud_runtime::prelude::*;

#[derive(Debug, Clone, Copy, ResourceEnum)]
pub enum Status {
    Draft,
    Published,
    Archived,
}

#[derive(Resource)]
pub struct Article1 {
    pub id: i64,
    #[crud(default = "draft", transitions(publish: Draft -> Published))]
    pub status: String,
}

#[derive(Resource)]
pub struct Article2 {
    pub id: i64,
    #[crud(default = Status::Draft, transitions(publish: Draft -> Published, archive: Published -> Archived))]
    pub status: Option<Status>,
}

#[derive(Resource)]
pub struct Article3 {
    pub id: i64,
    #[crud(default = Status::Draft, immutable, transitions(publish: Draft -> Published, archive: Published -> Archived))]
    pub status: Status,
}

fn main() {}
