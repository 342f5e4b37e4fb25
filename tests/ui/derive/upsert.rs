//! `upsert` by fields that do not identify a record, or that a client does not send.

mod of_unsuited_fields {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(upsert(id), upsert(token), upsert(secret), upsert(offer), upsert(code), upsert(number))]
    struct Part {
        id: i64,
        #[crud(unique, hidden, default = "")]
        token: String,
        #[crud(unique, write_only)]
        secret: String,
        #[crud(unique, visible(role("buyer")), default = "")]
        offer: String,
        #[crud(unique)]
        code: Option<String>,
        #[crud(unique, read_only, default = 0)]
        number: i64,
    }
}

mod of_what_is_not_unique {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(
        unique(shelf, slot),
        upsert(name),
        upsert(shelf),
        upsert(shelf, name),
        upsert(sku),
        upsert(sku),
        upsert(skuu),
        upsert()
    )]
    struct Part {
        id: i64,
        #[crud(unique)]
        sku: String,
        shelf: i32,
        slot: i32,
        name: String,
    }
}
