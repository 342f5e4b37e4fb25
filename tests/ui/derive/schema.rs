//! `#[derive(Schema)]` with attributes of resources.

mod resource_keys {
    use crud_runtime::prelude::*;

    #[derive(Schema)]
    #[crud(audit, rename_all = "camelCase")]
    struct Finish {
        #[crud(id)]
        ticket: i64,
        #[crud(length(max = 200), filter)]
        note: Option<String>,
        #[crud(references(Ticket))]
        ticket_id: i64,
    }
}
