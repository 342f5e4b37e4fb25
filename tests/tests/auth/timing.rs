//! That the time of a login does not tell whether there is such a user.

use std::time::{Duration, Instant};

use crate::support::{ADA, auth, on_service, try_login};

/// How often each kind is tried.
const ROUNDS: usize = 12;

#[test]
fn an_unknown_user_takes_as_long_as_a_wrong_password() {
    on_service(auth, async |api, users| {
        users.create_user("bob", "correct horse").await.expect("a user");
        users.disable("bob").await.expect("a disabled user");
        let names = [ADA, "nobody", "bob"];
        let mut times = [const { Vec::new() }; 3];
        // In turns, so that whatever else the machine does falls on all of them.
        for _ in 0..ROUNDS {
            for (name, times) in names.iter().zip(&mut times) {
                let begin = Instant::now();
                try_login(api, name, "wrong password").await.problem("invalid_credentials");
                times.push(begin.elapsed());
            }
        }
        // The least time is what the work takes: noise only adds.
        let least = times.map(|times| times.into_iter().min().unwrap_or(Duration::ZERO));
        let (shortest, longest) =
            (least.into_iter().min().unwrap_or_default(), least.into_iter().max().unwrap_or_default());
        // Without the hash, an unknown user is refused in a hundredth of the time.
        assert!(longest < shortest * 2, "{names:?} take {least:?}");
        assert!(shortest > Duration::from_millis(3), "a hash costs something: {least:?}");
    });
}
