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
    #[crud(default = Status::Draft, transitions)]
    pub status: Status,
}

#[derive(Resource)]
pub struct Article2 {
    pub id: i64,
    #[crud(default = Status::Draft, transitions())]
    pub status: Status,
}

#[derive(Resource)]
pub struct Article3 {
    pub id: i64,
    #[crud(default = Status::Draft, transitions(publish))]
    pub status: Status,
}

#[derive(Resource)]
pub struct Article4 {
    pub id: i64,
    #[crud(default = Status::Draft, transitions(publish: Draft, archive: Draft => Archived))]
    pub status: Status,
}

#[derive(Resource)]
pub struct Article5 {
    pub id: i64,
    #[crud(default = Status::Draft, transitions(publish: Draft -> Published : editor, archive: Draft | -> Archived))]
    pub status: Status,
}

#[derive(Resource)]
pub struct Article6 {
    pub id: i64,
    #[crud(default = Status::Draft, transitions(publish: Draft -> Published role("editor")))]
    pub status: Status,
}

fn main() {}
