//! The duration of a failed login does not reveal whether the user exists.

use std::time::{Duration, Instant};

use crate::support::{ADA, auth, on_service, try_login};

/// The minimum and maximum number of rounds: on a busy machine, each user's shortest time takes more rounds to appear.
const MIN_ROUNDS: usize = 9;
const MAX_ROUNDS: usize = 60;

#[test]
fn unknown_user_takes_as_long_as_a_wrong_password() {
    on_service(auth, async |api, users| {
        users.create_user("bob", "correct horse").await.expect("a user");
        users.disable("bob").await.expect("a disabled user");
        let names = [ADA, "unknown", "bob"];
        // Noise only adds time, so the minimum is what the work takes: with more rounds the minima of equal work
        // converge, and those of different work stay apart.
        let mut least = [Duration::MAX; 3];
        for round in 1..=MAX_ROUNDS {
            // The order rotates, so that other load on the machine falls on all users.
            for place in 0..3 {
                let kind = (round + place) % 3;
                let begin = Instant::now();
                try_login(api, names[kind], "wrong password").await.problem("invalid_credentials");
                least[kind] = begin.elapsed().min(least[kind]);
            }
            if round >= MIN_ROUNDS && are_similar(least) {
                break;
            }
        }
        // Without the hash, the rejection of an unknown user takes a twentieth of the time.
        assert!(are_similar(least), "{names:?} take {least:?}");
    });
}

/// Whether the longest time is less than four times the shortest, and the shortest is long enough for a hash. Noise can
/// double the time of equal work; without the hash it is a twentieth.
fn are_similar(times: [Duration; 3]) -> bool {
    let [shortest, .., longest] = sorted(times);
    longest < shortest * 4 && shortest > Duration::from_millis(3)
}

fn sorted(mut times: [Duration; 3]) -> [Duration; 3] {
    times.sort_unstable();
    times
}
