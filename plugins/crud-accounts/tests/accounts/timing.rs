//! The duration of an answer does not reveal whether an address has an account.

use std::time::{Duration, Instant};

use crud_accounts::Accounts;
use serde_json::json;

use crate::support::{ANN, BOB, on_shop};

/// The minimum and maximum number of rounds: on a busy machine, the shortest times take more rounds to appear.
const MIN_ROUNDS: usize = 20;
const MAX_ROUNDS: usize = 1_000;

#[test]
fn unknown_address_takes_as_long_as_a_known_one() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        let addresses = [ANN, BOB];
        for path in ["/auth/register", "/auth/forgot"] {
            // Noise only adds time, so that the minima of equal work converge.
            let mut least = [Duration::MAX; 2];
            for round in 1..=MAX_ROUNDS {
                // The mails that each address has had count no more.
                shop.test.clock().advance(Duration::from_mins(61));
                for place in [round % 2, (round + 1) % 2] {
                    let begin = Instant::now();
                    shop.post(path, json!({ "email": addresses[place] })).await.expect(202);
                    least[place] = least[place].min(begin.elapsed());
                }
                if round >= MIN_ROUNDS && are_similar(least) {
                    break;
                }
            }
            assert!(are_similar(least), "{path}: {addresses:?} take {least:?}");
        }
    });
}

/// Whether the longer time is less than half longer than the other: on a busy server the minima of equal work differ by a third.
/// A password that is hashed, or a mail that is sent before the answer, takes several times as long.
fn are_similar([one, other]: [Duration; 2]) -> bool {
    one.max(other) < one.min(other).mul_f64(1.5)
}
