//! Bodies of own routes.

mod types_and_rules {
    use crud_runtime::prelude::*;

    struct Money;

    #[derive(Schema)]
    struct Pay {
        amount: Money,
        #[crud(range(min = 5, max = 1))]
        times: i32,
        #[crud(max_lenght = 20)]
        note: String,
    }
}
