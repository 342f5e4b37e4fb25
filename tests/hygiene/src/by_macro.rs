//! Resources that a macro writes.

use renamed::prelude::*;

macro_rules! resource {
    ($(#[$attribute:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        #[derive(Resource)]
        #[crud(crate(::renamed))]
        $(#[$attribute])*
        struct $name { $($(#[$of_field])* $field: $type),+ }
    };
}

resource! {
    #[crud(filter(name), sort)]
    Thing {
        id: i64,
        #[crud(length(min = 1), default = "a")]
        name: String,
        size: Option<i32>,
    }
}

macro_rules! fixed {
    () => {
        #[derive(Resource)]
        #[crud(crate(::renamed), filter(name))]
        struct Fixed {
            id: i64,
            name: String,
        }

        const _: fn(NewFixed) -> NewFixed = |new| new.name("a");
    };
}

fixed!();
