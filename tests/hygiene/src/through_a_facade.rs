//! A crate of the user's own re-exports the runtime, and its users know that crate alone.

use facade::crud::prelude::*;

#[derive(ResourceEnum)]
#[crud(crate(::facade::crud))]
enum State {
    Open,
}

#[derive(Resource)]
#[crud(crate(crate::crud), filter, sort, hooks(validate(named)))]
struct Thing {
    id: i64,
    #[crud(default(State::Open))]
    state: State,
    #[crud(validate(custom(check)))]
    name: Option<String>,
}

fn check(name: &str) -> Result<(), String> {
    if name.is_empty() { Err("must not be empty".to_owned()) } else { Ok(()) }
}

fn named(changeset: &mut Changeset<'_, Thing>) {
    if changeset.get(Thing::FIELDS.name).flatten().is_none() {
        changeset.add_error(Thing::FIELDS.name, "required", "must be set");
    }
}

#[derive(Resource)]
#[crud(crate(::facade::crud))]
struct Other {
    id: i64,
    #[crud(references(Thing))]
    thing_id: i64,
}
