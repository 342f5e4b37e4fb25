//! Faults in the service's own sources, which the long part plants into a copy of the repository: each is found.

use std::path::Path;
use std::{env, fs};

use crud_prove::Proof;
use crud_tests::on_sqlite;

use crate::fixture::fixture;

/// A fault of the list.
struct Fault {
    number: String,
    way: String,
    file: String,
    from: String,
}

fn faults() -> Vec<Fault> {
    let text = include_str!("../faults.txt");
    let blocks = text.split("\n\n").filter(|block| !block.starts_with('#'));
    blocks.map(fault).collect()
}

fn fault(block: &str) -> Fault {
    let lines: Vec<&str> = block.lines().filter(|line| !line.is_empty()).collect();
    let [head, file, from, to] = lines[..] else { panic!("expected four lines, found {block}") };
    let (number, rest) = head.split_once(' ').expect("a number and a way");
    let (way, _) = rest.split_once(':').expect("a way and a sentence");
    let from = from.strip_prefix("- ").expect("a text that is there");
    assert!(to.starts_with("+ ") && to.contains(&format!("fault({number})")), "{block}");
    let owned = |text: &str| text.to_owned();
    Fault { number: owned(number), way: owned(way), file: owned(file), from: owned(from) }
}

#[test]
fn faults_of_the_list_are_in_lines_that_the_sources_have() {
    // In the copy they are planted already.
    if env::var_os("CRUD_FAULT").is_some() {
        return;
    }
    let faults = faults();
    assert!(faults.len() >= 20, "{} faults", faults.len());
    for Fault { number, file, from, .. } in faults {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&file);
        let text = fs::read_to_string(&path).expect("the source");
        assert_eq!(text.matches(&from).count(), 1, "fault {number}: {file} has the text once: {from}");
    }
}

#[test]
fn fault_in_the_sources_is_found() {
    let Some(number) = env::var("CRUD_FAULT").ok().filter(|number| number != "0") else { return };
    let fault = faults().into_iter().find(|fault| fault.number == number).expect("a fault of the list");
    on_sqlite(async |database| {
        let report = Proof::new(fixture(database.service().await)).run().await.expect("a proof");
        let found = report.differences.iter().find(|difference| difference.way == fault.way);
        println!("fault {number}: {:?}", found.unwrap_or_else(|| panic!("fault {number} is not found: {report}")));
    });
}
