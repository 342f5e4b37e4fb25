//! The prelude's types in a program's own JSON: bodies of jobs, paths and answers derive serde's traits.

use renamed::prelude::*;
use serde::{Deserialize, Serialize};

/// One field of each type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Delivery {
    id: Uuid,
    sent_at: DateTime<Utc>,
    day: NaiveDate,
    time: NaiveTime,
    local: NaiveDateTime,
    price: Decimal,
}

impl Delivery {
    /// A delivery with a key that the client gives.
    fn new(price: Decimal) -> Self {
        let sent_at = DateTime::<Utc>::UNIX_EPOCH;
        let local = sent_at.naive_utc();
        Self { id: Uuid::new_v4(), sent_at, day: local.date(), time: local.time(), local, price }
    }
}

const _: fn(Decimal) -> Delivery = Delivery::new;
