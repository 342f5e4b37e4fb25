//! Structs and fields that are called as things of the prelude, of the runtime and of an expansion are.

mod prelude_types {
    use renamed::Resource as Derive;
    use std::{option::Option as Maybe, string::String as Text};

    macro_rules! resources {
        ($($name:ident),+) => { $(
            #[derive(Derive)]
            #[crud(crate(::renamed))]
            struct $name {
                id: i64,
                #[crud(length(min = 1), default = "a")]
                text: Text,
                number: Maybe<i32>,
            }
        )+ };
    }

    resources!(Option, String, Result, Resource, Some, None, Ok, Err, Vec, Box, From, Into, Default, Self_);
    resources!(Send, Sync, Sized, Debug, Clone, Descriptor, Value, Column, Changes, Field, Row, Statements, Kind);
}

mod fields {
    use renamed::prelude::*;

    #[derive(Resource)]
    #[crud(crate(::renamed), sort, default_sort(sort))]
    struct Thing {
        id: i64,
        self_: String,
        query: String,
        data: i32,
        limit: i32,
        sort: i32,
        filter: i32,
        skip: i32,
        new: String,
        value: Option<i32>,
        changes: i32,
        patch: i32,
        row: i32,
        f: i32,
        core: i32,
        std: i32,
        renamed: i32,
        descriptor: i32,
    }
}

mod constants {
    use renamed::prelude::*;

    // An expression in an attribute sees the user's own names.
    const DESCRIPTOR: &str = "descriptor";
    const VALUE: i32 = 5;

    #[allow(non_upper_case_globals)]
    const value: i32 = 6;

    #[derive(Resource)]
    #[crud(crate(::renamed))]
    struct Thing {
        id: i64,
        #[crud(default(DESCRIPTOR), validate(custom(row)))]
        name: String,
        #[crud(default(VALUE))]
        size: i32,
        #[crud(default(value))]
        other: i32,
    }

    fn row(name: &str) -> Result<(), String> {
        if name.is_empty() { Err("must not be empty".to_owned()) } else { Ok(()) }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn expressions_see_the_users_names() {
            let defaults = Thing::DESCRIPTOR.columns.iter().filter_map(|column| column.default);
            let defaults: Vec<String> = defaults.map(|default| default().to_string()).collect();
            assert_eq!(defaults, ["descriptor", "5", "6"]);
        }
    }
}
