use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Team {
    pub id: i64,
}

#[derive(Resource)]
#[crud(audit)]
pub struct Badge {
    pub id: i64,
    #[crud(references = Team, on_delete = cascade)]
    pub team_id: i64,
    #[crud(references = Team, on_delete = set_null)]
    pub guest_of: Option<i64>,
    #[crud(references = Team, on_delete = restrict)]
    pub founded: i64,
}

fn main() {}
