//! The text of a migration's up and down files.

use crate::storage::migrations::{IF_NOT_EXISTS, Script, Step, StepKind};

/// The first words of a down file.
pub(super) const REVERTS: &str = "-- Reverts that. Review it before you apply it.";

/// The first line of a file whose statement runs in no transaction.
const NO_TRANSACTION: &str = "-- no-transaction";

/// The parts of MySQL's statement that makes an index of words.
const COLUMN: &str = " ADD COLUMN ";
const FULLTEXT: &str = " ADD FULLTEXT INDEX ";

/// Kinds of steps that a description has a word for.
const NAMED: [StepKind; 4] = [StepKind::Create, StepKind::Concurrent, StepKind::Fill, StepKind::Validate];

/// State that precedes a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prior {
    /// Neither migrations nor tables.
    Nothing,
    /// Tables that were created without migrations.
    Tables,
    /// Other migrations.
    Migrations,
}

/// The texts of a migration's files.
pub(super) struct Files {
    /// The description in their names.
    pub(super) description: String,
    /// Changes the database.
    pub(super) up: String,
    /// Reverts the change.
    pub(super) down: String,
}

/// The description of the files that create the tables as they are.
pub(super) const BASELINE: &str = "baseline";

/// The files of the migration that creates the tables as they are.
pub(super) fn baseline(present: &[Step]) -> Files {
    let up = "-- The tables as they were before the first migration: an empty database gets the same ones.\n\
              -- Tables and indexes that exist stay as they are.";
    let down = "-- The tables were there before: nothing is reverted. This drops them with all records:";
    let up: Vec<String> =
        std::iter::once(up.to_owned()).chain(present.iter().map(|step| if_not_exists(&step.up))).collect();
    let down: Vec<&str> = std::iter::once(down).chain(present.iter().rev().map(|step| step.down.as_str())).collect();
    Files { description: BASELINE.to_owned(), up: up.join("\n\n") + "\n", down: down.join("\n") + "\n" }
}

/// The files of a migration whose statements its author writes. The way back names no hash: it is written with them.
pub(super) fn empty(description: &str) -> Files {
    let up = "-- Statements of your own, which run in one transaction where the database allows that.\n\
              -- Afterwards: `crud migrate hash`, and `crud migrate apply`.\n";
    let down = "-- The way back: statements that undo those of the up file. Without any, a revert changes nothing.\n";
    Files { description: description.to_owned(), up: up.to_owned(), down: down.to_owned() }
}

/// The files of a script, in order.
pub(super) fn write(script: &Script, prior: Prior) -> Vec<Files> {
    let mut steps: Vec<&Step> = script.steps.iter().collect();
    steps.sort_by_key(|step| stage(step.kind));
    // Such a step runs in no transaction.
    let is_alone = |kind: StepKind| matches!(kind, StepKind::Concurrent | StepKind::Fill);
    let of_one_file = |one: &&Step, next: &&Step| stage(one.kind) == stage(next.kind) && !is_alone(one.kind);
    steps.chunk_by(of_one_file).map(|steps| write_one(steps, script.frame, prior)).collect()
}

/// Place of the steps of a kind in a script.
fn stage(kind: StepKind) -> u8 {
    match kind {
        StepKind::Create | StepKind::Alter | StepKind::Rebuild | StepKind::Proposal | StepKind::Unneeded => 0,
        StepKind::Concurrent => 1,
        StepKind::Fill => 2,
        StepKind::Constrain => 3,
        StepKind::Validate => 4,
        StepKind::Finish => 5,
    }
}

fn write_one(steps: &[&Step], frame: (&'static str, &'static str), prior: Prior) -> Files {
    let is_concurrent = steps.iter().any(|step| step.kind == StepKind::Concurrent);
    let is_fill = steps.iter().any(|step| step.kind == StepKind::Fill);
    let is_further = steps.iter().all(|step| stage(step.kind) > 0);
    let needs_frame = steps.iter().any(|step| step.kind == StepKind::Rebuild);
    let head = match prior {
        _ if is_concurrent => {
            "-- Goes on with the file before: makes an index while others use the table, in no transaction."
        }
        _ if is_fill => "-- Goes on with the file before: fills in values in batches, in no transaction.",
        _ if is_further => "-- Goes on with the file before, in a separate transaction.",
        Prior::Migrations => "-- Changes the database to match the structs. Review it before you apply it.",
        Prior::Nothing => {
            "-- Changes the database to match the structs. Review it before you apply it.\n\
             -- Tables and indexes that a service has already created stay as they are."
        }
        Prior::Tables => {
            "-- Changes the database to match the structs. Review it before you apply it.\n\
             -- The existing tables were created without a migration: an empty database needs them first."
        }
    };
    let up = steps.iter().map(|step| match prior {
        Prior::Nothing => if_not_exists(&step.up),
        Prior::Tables | Prior::Migrations => step.up.clone(),
    });
    let up = up.filter(|up| !up.is_empty());
    let down = steps.iter().rev().map(|step| step.down.clone()).filter(|down| !down.is_empty());
    let file = |head: &str, blocks: Vec<String>| {
        let (before, after) = frame;
        let mut parts = Vec::new();
        parts.extend((is_concurrent || is_fill && !blocks.is_empty()).then(|| NO_TRANSACTION.to_owned()));
        // sqlx reads `-- no-transaction` only at the start of the file.
        parts.extend(needs_frame.then(|| before.to_owned()));
        parts.push(head.to_owned());
        parts.extend(blocks);
        parts.extend(needs_frame.then(|| after.to_owned()));
        parts.join("\n\n") + "\n"
    };
    Files { description: description(steps), up: file(head, up.collect()), down: file(REVERTS, down.collect()) }
}

/// The statements with `IF NOT EXISTS`, to skip what exists of tables and indexes, those of words among them.
fn if_not_exists(statements: &str) -> String {
    const STARTS: [&str; 5] =
        ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "CREATE VIRTUAL TABLE ", "CREATE TRIGGER "];
    let line = |line: &str| {
        let creates = STARTS.iter().find_map(|start| {
            let rest = line.strip_prefix(start).filter(|rest| !rest.starts_with("IF NOT EXISTS "))?;
            Some(format!("{start}IF NOT EXISTS {rest}"))
        });
        match creates {
            Some(creates) => creates,
            None if line.contains(FULLTEXT) => [COLUMN, FULLTEXT]
                .iter()
                .fold(line.to_owned(), |line, add| line.replacen(add, &format!("{add}{IF_NOT_EXISTS} "), 1)),
            None => line.to_owned(),
        }
    };
    statements.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The description in the files' names, such as `create_books` or `change_books`.
fn description(steps: &[&Step]) -> String {
    let phrase = |verb: &str, is_wanted: fn(&Step) -> bool| {
        let mut tables: Vec<&str> = Vec::new();
        for step in steps.iter().filter(|step| is_wanted(step)) {
            if !tables.contains(&step.table) {
                tables.push(step.table);
            }
        }
        match tables.as_slice() {
            [] => None,
            [one] => Some(format!("{verb}_{}", file_name_part(one))),
            [one, other] => Some(format!("{verb}_{}_and_{}", file_name_part(one), file_name_part(other))),
            many => Some(format!("{verb}_{}_tables", many.len())),
        }
    };
    let phrases = [
        phrase("create", |step| step.kind == StepKind::Create),
        phrase("change", |step| !NAMED.contains(&step.kind)),
        phrase("index", |step| step.kind == StepKind::Concurrent),
        phrase("fill", |step| step.kind == StepKind::Fill),
        phrase("check", |step| step.kind == StepKind::Validate),
    ];
    phrases.into_iter().flatten().collect::<Vec<_>>().join("_")
}

/// A table's name as part of a file name.
fn file_name_part(table: &str) -> String {
    let legal = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    table.chars().map(legal).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(table: &'static str, kind: StepKind) -> Step {
        Step { table, up: "CREATE TABLE \"a\" (\n  \"b\"\n);\nCREATE INDEX \"i\";".into(), down: String::new(), kind }
    }

    fn script(steps: &[(&'static str, StepKind)]) -> Script {
        let steps = steps.iter().map(|(table, kind)| step(table, *kind)).collect();
        Script { steps, frame: ("-- no-transaction\nBEGIN;", "COMMIT;") }
    }

    fn first(script: &Script, prior: Prior) -> Files {
        write(script, prior).remove(0)
    }

    #[test]
    fn each_concurrent_step_has_a_file_and_checks_come_last() {
        use StepKind::{Alter, Concurrent, Fill, Finish, Validate};
        let steps = [
            ("a", Alter),
            ("a", Validate),
            ("a", Concurrent),
            ("a", Finish),
            ("a", Fill),
            ("b", Concurrent),
            ("b", Alter),
        ];
        let files = write(&script(&steps), Prior::Migrations);
        let names: Vec<&str> = files.iter().map(|file| file.description.as_str()).collect();
        assert_eq!(names, ["change_a_and_b", "index_a", "index_b", "fill_a", "check_a", "change_a"]);
        let alone =
            files.iter().map(|file| (file.up.starts_with("-- no-transaction\n"), file.down.starts_with("-- no-t")));
        assert_eq!(
            alone.collect::<Vec<_>>(),
            [(false, false), (true, true), (true, true), (true, false), (false, false), (false, false),]
        );
    }

    #[test]
    fn a_description_names_actions_and_tables() {
        use StepKind::{Alter, Create, Proposal};
        for (steps, expected) in [
            (&[("books", Create)][..], "create_books"),
            (&[("books", Alter), ("books", Proposal)], "change_books"),
            (&[("a b", Create), ("c", Alter), ("d", Alter)], "create_a_b_change_c_and_d"),
            (&[("a", Create), ("b", Create), ("c", Create)], "create_3_tables"),
        ] {
            let script = script(steps);
            assert_eq!(description(&script.steps.iter().collect::<Vec<_>>()), expected);
        }
    }

    #[test]
    fn the_first_migration_skips_what_exists() {
        let Files { up, .. } = first(&script(&[("a", StepKind::Create)]), Prior::Nothing);
        assert!(
            up.contains("\nCREATE TABLE IF NOT EXISTS \"a\" (\n") && up.contains("CREATE INDEX IF NOT EXISTS"),
            "{up}"
        );
        let Files { up, .. } = first(&script(&[("a", StepKind::Create)]), Prior::Migrations);
        assert!(!up.contains("IF NOT EXISTS"), "{up}");
    }

    #[test]
    fn a_rebuild_is_framed() {
        let Files { up, down, .. } = first(&script(&[("a", StepKind::Rebuild)]), Prior::Migrations);
        assert!(up.starts_with("-- no-transaction\nBEGIN;\n") && up.ends_with("COMMIT;\n"), "{up}");
        assert!(down.starts_with("-- no-transaction\n"), "{down}");
        let Files { up, .. } = first(&script(&[("a", StepKind::Alter)]), Prior::Migrations);
        assert!(up.starts_with("-- Changes"), "{up}");
    }
}
