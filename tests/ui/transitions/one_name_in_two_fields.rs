use crud_runtime::prelude::*;

#[derive(Debug, Clone, Copy, ResourceEnum)]
pub enum Step {
    Open,
    Done,
}

#[derive(Resource)]
pub struct Order {
    pub id: i64,
    #[crud(default = Step::Open, transitions(finish: Open -> Done))]
    pub payment: Step,
    #[crud(default = Step::Open, transitions(finish: Open -> Done))]
    pub delivery: Step,
}

fn main() {}
