//! crudcrate: its requests, and its process in `benches/peers/crudcrate`.

use std::process::Command;

use fastrand::Rng;

use super::Peer;
use crate::case::{Case, any_id, changes, get, new_product, send};
use crate::seed::{self, CATEGORIES};
use crate::twin;

/// Creates the twin's tables, and fills them.
pub(super) async fn prepare(url: &str, records: usize) -> anyhow::Result<()> {
    twin::sqlite::create_schema(url).await?;
    seed::fill(url, records).await
}

/// The command that serves them at an address.
pub(super) fn serve(url: &str, address: &str) -> anyhow::Result<Command> {
    let mut command = Command::new(Peer::Crudcrate.program()?);
    command.args([url, address]);
    Ok(command)
}

/// Whether it has what a case asks for. Conditions with alternatives, records of other tables beside and orders by them,
/// cursors, exports and keys of requests are not among what it derives.
pub(super) const fn answers(case: Case) -> bool {
    matches!(case, Case::Get | Case::Page | Case::List | Case::Create | Case::Update | Case::Batch)
}

/// The next request of a case, with the values of the other servers' requests.
pub(super) fn request(case: Case, rng: &mut Rng, records: usize) -> Vec<u8> {
    match case {
        Case::Page => get("/products?range=%5B0,19%5D&sort=%5B%22created_at%22,%22DESC%22%5D"),
        Case::List => {
            let (category, price) = (rng.usize(1..=CATEGORIES), rng.u32(10..100));
            let filter = format!("%7B%22category_id%22:{category},%22price_gt%22:{price}.5%7D");
            get(&format!("/products?filter={filter}&range=%5B0,19%5D&sort=%5B%22price%22,%22DESC%22%5D"))
        }
        Case::Create => send("POST", "/products", &new_product(rng)),
        Case::Update => send("PUT", &format!("/products/{}", any_id(rng, records)), &changes(rng)),
        Case::Batch => {
            let items: Vec<String> = (0..100).map(|_| new_product(rng)).collect();
            send("POST", "/products/batch", &format!("[{}]", items.join(",")))
        }
        _ => get(&format!("/products/{}", any_id(rng, records))),
    }
}
