//! Two resources in one module, and one name in two modules.

use renamed::prelude::*;

#[derive(Resource)]
#[crud(crate(::renamed))]
struct Thing {
    id: i64,
    name: String,
}

#[derive(Resource)]
#[crud(crate(::renamed))]
struct Other {
    id: i64,
    name: String,
    #[crud(references(inner::Thing))]
    thing_id: Uuid,
}

mod inner {
    use renamed::prelude::*;

    #[derive(Resource)]
    #[crud(crate(::renamed))]
    pub(super) struct Thing {
        id: Uuid,
        #[crud(references(super::Thing))]
        thing_id: i64,
    }
}
