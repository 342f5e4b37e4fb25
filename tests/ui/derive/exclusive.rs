//! `exclusive(…)`: the fields and the form of a span.

use crud_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
enum Status {
    Requested,
    Approved,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive)]
struct Bare {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive(room_id, starts_at))]
struct WithoutEnd {
    id: i64,
    room_id: i64,
    starts_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive(room_id, starts_at..ends))]
struct Misspelt {
    id: i64,
    room_id: i64,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive(starts_at..ends_at))]
struct TwoTypes {
    id: i64,
    starts_at: DateTime<Utc>,
    ends_at: NaiveDate,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive(name, from..to))]
struct Texts {
    id: i64,
    name: String,
    from: String,
    to: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive(starts_at..ends_at, note = Requested))]
struct NoEnum {
    id: i64,
    starts_at: i64,
    ends_at: i64,
    note: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive(starts_at..ends_at, status = any(Requested, Aproved)))]
struct NoVariant {
    id: i64,
    starts_at: i64,
    ends_at: i64,
    status: Status,
}

#[derive(Debug, Clone, Resource)]
#[crud(exclusive(starts_at..starts_at))]
struct Twice {
    id: i64,
    starts_at: i64,
}

fn main() {}
