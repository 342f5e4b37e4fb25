//! Every input of the corpora, as an ordinary test.

use std::fs;
use std::path::Path;

use crate::{TARGETS, target};

/// Runs a target on each file of its corpus.
fn replay(name: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let files = fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<_> = files.map(|file| file.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() >= 5, "{} has {} inputs", directory.display(), paths.len());
    for path in paths {
        let input = fs::read(&path).expect("a file");
        let run = || (target(name).run)(&input);
        assert!(std::panic::catch_unwind(run).is_ok(), "{} fails", path.display());
    }
}

macro_rules! replays {
    ($($name:ident)+) => { $(
        #[test]
        fn $name() {
            replay(stringify!($name));
        }
    )+

        #[test]
        fn every_target_is_replayed() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),+]);
        }
    };
}

replays! { query condition body import headers cursor token derive postgres }
