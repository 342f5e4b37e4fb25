//! The guide's examples are the story's.

/// The guide.
const GUIDE: &str = include_str!("../../../../docs/src/guide/migrations.md");

/// The structs of the story.
const STRUCTS: [&str; 4] = [
    include_str!("../../../src/bin/story/start.rs"),
    include_str!("../../../src/bin/story/rules.rs"),
    include_str!("../../../src/bin/story/records.rs"),
    include_str!("../../../src/bin/story/year.rs"),
];

/// The guide's blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let begin = format!("\n```{language}\n");
    let rest = GUIDE.split(begin.as_str()).skip(1);
    let blocks: Vec<&str> = rest.map(|rest| rest.split("\n```").next().unwrap_or_default()).collect();
    assert!(!blocks.is_empty(), "the guide has no {language}");
    blocks
}

/// Lines without indentation and visibility.
fn bare(text: &str) -> String {
    let line = |line: &str| line.trim().trim_start_matches("pub(crate) ").trim_start_matches("pub ").to_owned() + "\n";
    text.lines().map(line).collect()
}

#[test]
fn structs_of_the_guide_are_those_of_the_story() {
    let structs = bare(&STRUCTS.concat());
    for block in blocks("rs") {
        assert!(structs.contains(&bare(block)), "not in the story: {block}");
    }
}

/// The statements of the guide are in files of PostgreSQL.
pub(super) fn statements_are_in(files: &str) {
    for statements in blocks("sql").iter().flat_map(|block| block.split("\n\n")) {
        assert!(files.contains(statements), "no release has {statements}");
    }
}
