//! That the time of a login does not tell whether there is such a user.

use std::time::{Duration, Instant};

use crate::support::{ADA, auth, on_service, try_login};

/// How often each kind is tried at least, and at most: a busy machine needs more until each has had its chance.
const ROUNDS: (usize, usize) = (9, 60);

#[test]
fn an_unknown_user_takes_as_long_as_a_wrong_password() {
    on_service(auth, async |api, users| {
        users.create_user("bob", "correct horse").await.expect("a user");
        users.disable("bob").await.expect("a disabled user");
        let names = [ADA, "nobody", "bob"];
        // The least time is what the work takes, for noise only adds: more rounds bring equal work together, and
        // what is less work stays apart however many there are.
        let mut least = [Duration::MAX; 3];
        for round in 1..=ROUNDS.1 {
            // In turns, and each at every place, so that whatever else the machine does falls on all of them.
            for place in 0..3 {
                let kind = (round + place) % 3;
                let begin = Instant::now();
                try_login(api, names[kind], "wrong password").await.problem("invalid_credentials");
                least[kind] = begin.elapsed().min(least[kind]);
            }
            if round >= ROUNDS.0 && are_alike(least) {
                break;
            }
        }
        // Without the hash, an unknown user is refused in a twentieth of the time.
        assert!(are_alike(least), "{names:?} take {least:?}");
    });
}

/// Whether the longest is less than four times the shortest, and each as long as a hash takes at least. The
/// machine can make equal work look twice as long; a hash left out would look a twentieth.
fn are_alike(times: [Duration; 3]) -> bool {
    let [shortest, .., longest] = sorted(times);
    longest < shortest * 4 && shortest > Duration::from_millis(3)
}

fn sorted(mut times: [Duration; 3]) -> [Duration; 3] {
    times.sort_unstable();
    times
}
