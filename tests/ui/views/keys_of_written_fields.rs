use crud_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
enum State {
    Open,
    Done,
}

#[derive(Debug, Clone, Resource)]
#[crud(view = "SELECT * FROM tickets", depends())]
struct Board {
    id: i64,
    #[crud(default = 1, min = 0, max = 9)]
    count: i32,
    #[crud(min_length = 1, max_length = 9, pattern = "a", email, url, one_of("a"), custom = check)]
    title: String,
    #[crud(default = State::Open, transitions(finish: Open -> Done))]
    state: State,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
    #[crud(read_only)]
    first: Option<i64>,
    #[crud(write_only)]
    second: Option<i64>,
    #[crud(immutable)]
    third: Option<i64>,
    #[crud(owner(assign = role("staff")))]
    owner: i64,
}

fn check(_: &str) -> Result<(), String> {
    Ok(())
}

fn main() {}
