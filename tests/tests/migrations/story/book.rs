//! The guides' examples are the story's.

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

/// The lines that the guide on upgrades shows are printed by commands, with other versions.
pub(super) fn lines_are_in(printed: &str) {
    let printed = without_versions(printed);
    for line in blocks(GUIDES[1], "text").into_iter().flat_map(str::lines) {
        let is_printed = printed.lines().any(|other| other == without_versions(line));
        assert!(is_printed, "no command prints {line}:\n{printed}");
    }
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
