use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(search)]
struct Flag {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(search())]
struct Empty {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(search(language = "english"))]
struct Fieldless {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(search(name, language = "englisch"))]
struct Misspelt {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(search(name, lang = "english"))]
struct UnknownKey {
    id: i64,
    name: String,
}

fn main() {}
