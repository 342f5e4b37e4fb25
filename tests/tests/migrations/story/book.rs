//! The guides' examples are the story's.

use super::releases::{AFTER_BRANCHES, BEFORE_BRANCHES, FIRST, MERGED, RULES, Release};

/// The guides on changes and on upgrades.
const GUIDES: [&str; 2] =
    [include_str!("../../../../docs/src/guide/migrations.md"), include_str!("../../../../docs/src/guide/upgrading.md")];

/// The structs of the story.
const STRUCTS: [&str; 4] = [
    include_str!("../../../src/bin/story/start.rs"),
    include_str!("../../../src/bin/story/rules.rs"),
    include_str!("../../../src/bin/story/records.rs"),
    include_str!("../../../src/bin/story/year.rs"),
];

/// Number of digits of a migration's version.
const VERSION: usize = 14;

/// A guide's blocks of a language.
fn blocks(guide: &'static str, language: &str) -> Vec<&'static str> {
    let begin = format!("\n```{language}\n");
    let rest = guide.split(begin.as_str()).skip(1);
    let blocks: Vec<&str> = rest.map(|rest| rest.split("\n```").next().unwrap_or_default()).collect();
    assert!(!blocks.is_empty(), "a guide has no {language}");
    blocks
}

/// Lines without indentation and visibility.
fn bare(text: &str) -> String {
    let line = |line: &str| line.trim().trim_start_matches("pub(crate) ").trim_start_matches("pub ").to_owned() + "\n";
    text.lines().map(line).collect()
}

#[test]
fn structs_of_the_guides_are_those_of_the_story() {
    let structs = bare(&STRUCTS.concat());
    for block in GUIDES.iter().flat_map(|guide| blocks(guide, "rs")) {
        assert!(structs.contains(&bare(block)), "not in the story: {block}");
    }
}

/// The statements of the guides are in files of PostgreSQL.
pub(super) fn statements_are_in(files: &str) {
    for block in GUIDES.iter().flat_map(|guide| blocks(guide, "sql")) {
        for statements in block.split("\n\n") {
            assert!(files.contains(statements), "no release has {statements}");
        }
    }
}

/// The lines that the guides show are printed by commands, with other versions and numbers, and about other tables.
pub(super) fn lines_are_in(printed: &str) {
    let printed = without_versions(printed);
    for line in blocks(GUIDES[1], "text").into_iter().flat_map(str::lines) {
        let is_printed = printed.lines().any(|other| other == without_versions(line));
        assert!(is_printed, "no command prints {line}:\n{printed}");
    }
    for line in blocks(GUIDES[0], "text").into_iter().flat_map(str::lines) {
        let is_printed = printed.lines().any(|other| without_names(other) == without_names(line));
        assert!(is_printed, "no command prints {line}:\n{printed}");
    }
}

/// A line with one word for each name in backticks, the attribute apart, and one digit for each number.
fn without_names(line: &str) -> String {
    let parts = line.split('`').enumerate().map(|(index, part)| {
        let is_name = index % 2 == 1 && part != "renamed_from";
        if is_name { "name" } else { part }
    });
    let text: String = parts.collect::<Vec<_>>().join("`");
    let mut masked = String::new();
    for character in text.chars() {
        match character {
            digit if digit.is_ascii_digit() && masked.ends_with('0') => {}
            digit if digit.is_ascii_digit() => masked.push('0'),
            other => masked.push(other),
        }
    }
    masked
}

#[test]
fn table_of_the_guide_has_every_release_and_whether_it_rolls() {
    let (_, rest) = GUIDES[0].split_once("| Release | Change | Servers |").expect("the table of releases");
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<(&str, &str)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            (cells[1], cells[3])
        })
        .collect();
    let word = |release: &Release| if release.bodies.is_some() { "roll" } else { "pause" };
    let mut expected: Vec<(&str, String)> = vec![(FIRST.name, String::new())];
    for release in BEFORE_BRANCHES.iter().chain([&Release { name: MERGED, ..RULES }]).chain(&AFTER_BRANCHES) {
        // The rename of a struct's table is a separate release.
        match release.name.split_once('-') {
            Some(_) => {
                let before = &mut expected.last_mut().expect("a release").1;
                *before = format!("{before}, then {}", word(release));
            }
            None => expected.push((release.name, word(release).to_owned())),
        }
    }
    assert_eq!(rows, expected.iter().map(|(name, servers)| (*name, servers.as_str())).collect::<Vec<_>>());
}

/// A text with a word for each version.
fn without_versions(text: &str) -> String {
    let is_version = |word: &str| word.len() == VERSION && word.bytes().all(|byte| byte.is_ascii_digit());
    let words = text.split_inclusive(|character: char| !character.is_ascii_digit()).map(|word| {
        let digits = word.trim_end_matches(|character: char| !character.is_ascii_digit());
        if is_version(digits) { format!("version{}", &word[digits.len()..]) } else { word.to_owned() }
    });
    words.collect()
}
