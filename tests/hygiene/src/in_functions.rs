//! Resources inside functions, where no path leads to them.

use renamed::prelude::*;

const fn descriptor() -> &'static renamed::descriptor::Descriptor {
    #[derive(Resource)]
    #[crud(crate(::renamed))]
    struct Thing {
        id: i64,
    }

    Thing::DESCRIPTOR
}

const _: fn() -> &'static renamed::descriptor::Descriptor = descriptor;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_stands_in_a_function() {
        #[derive(ResourceEnum)]
        #[crud(crate(::renamed))]
        enum State {
            Open,
        }

        #[derive(Resource)]
        #[crud(crate(::renamed))]
        struct Category {
            id: i64,
        }

        #[derive(Resource)]
        #[crud(crate(::renamed), filter, sort)]
        struct Thing {
            id: i64,
            #[crud(default(State::Open))]
            state: State,
            #[crud(references(Category))]
            category_id: i64,
            #[crud(validate(custom(check)))]
            name: String,
        }

        fn check(name: &str) -> Result<(), String> {
            if name.is_empty() { Err("must not be empty".to_owned()) } else { Ok(()) }
        }

        assert_eq!(renamed::adapter::Changes::from(NewThing::new(5, "a")).len(), 2);
        assert_eq!(Thing::DESCRIPTOR.columns.len(), 4);
    }
}
