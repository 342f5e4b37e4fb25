//! The text of a migration's two files.

use crate::storage::migrations::{Script, Step, StepKind};

/// What there was before a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Neither migrations nor tables.
    Empty,
    /// Tables, which no migration has made.
    Tables,
    /// Other migrations.
    Later,
}

/// The text that changes a database, and the one that takes that back.
pub(super) fn write(script: &Script, beginning: Beginning) -> (String, String) {
    let is_framed = script.steps.iter().any(|step| step.kind == StepKind::Rebuild);
    let head = match beginning {
        Beginning::Later => "-- Makes the database as the structs are. Read it before it is applied.",
        Beginning::Empty => {
            "-- Makes the database as the structs are. Read it before it is applied.\n\
             -- What is there already, because a service has made it, stays as it is."
        }
        Beginning::Tables => {
            "-- Makes the database as the structs are. Read it before it is applied.\n\
             -- The tables that are there were made without a migration: in an empty database they have to come first."
        }
    };
    let up = script.steps.iter().map(|step| match (beginning, step.kind) {
        (Beginning::Empty, StepKind::Create) => if_not_exists(&step.up),
        _ => step.up.clone(),
    });
    let down = script.steps.iter().rev().map(|step| step.down.clone()).filter(|down| !down.is_empty());
    let file = |head: &str, blocks: Vec<String>| {
        let (before, after) = script.frame;
        let mut parts = Vec::new();
        // sqlx looks for `-- no-transaction` at the very start.
        parts.extend(is_framed.then(|| before.to_owned()));
        parts.push(head.to_owned());
        parts.extend(blocks);
        parts.extend(is_framed.then(|| after.to_owned()));
        parts.join("\n\n") + "\n"
    };
    (file(head, up.collect()), file("-- Takes that back. Read it before it is applied.", down.collect()))
}

/// Statements that pass over what is there.
fn if_not_exists(statements: &str) -> String {
    let line = |line: &str| {
        let starts = ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX "];
        let creates =
            starts.iter().find_map(|start| Some(format!("{start}IF NOT EXISTS {}", line.strip_prefix(start)?)));
        creates.unwrap_or_else(|| line.to_owned())
    };
    statements.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What a migration does, in a few words, for the files' names: `create_books`, `change_books`.
pub(super) fn description(script: &Script) -> String {
    let of = |is_wanted: fn(&Step) -> bool| {
        let mut tables: Vec<&str> = Vec::new();
        for step in script.steps.iter().filter(|step| is_wanted(step)) {
            if !tables.contains(&step.table) {
                tables.push(step.table);
            }
        }
        tables
    };
    let created = of(|step| step.kind == StepKind::Create);
    let changed = of(|step| step.kind != StepKind::Create);
    let words = |verb: &str, tables: &[&str]| match tables {
        [] => None,
        [one] => Some(format!("{verb}_{}", file_name(one))),
        [one, other] => Some(format!("{verb}_{}_and_{}", file_name(one), file_name(other))),
        many => Some(format!("{verb}_{}_tables", many.len())),
    };
    let parts: Vec<String> = [words("create", &created), words("change", &changed)].into_iter().flatten().collect();
    parts.join("_")
}

/// A table's name as a part of a file's.
fn file_name(table: &str) -> String {
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

    #[test]
    fn a_name_says_what_is_done() {
        use StepKind::{Alter, Create, Proposal};
        for (steps, expected) in [
            (&[("books", Create)][..], "create_books"),
            (&[("books", Alter), ("books", Proposal)], "change_books"),
            (&[("a b", Create), ("c", Alter), ("d", Alter)], "create_a_b_change_c_and_d"),
            (&[("a", Create), ("b", Create), ("c", Create)], "create_3_tables"),
        ] {
            assert_eq!(description(&script(steps)), expected);
        }
    }

    #[test]
    fn the_first_one_passes_over_what_is_there() {
        let (up, _) = write(&script(&[("a", StepKind::Create)]), Beginning::Empty);
        assert!(
            up.contains("\nCREATE TABLE IF NOT EXISTS \"a\" (\n") && up.contains("CREATE INDEX IF NOT EXISTS"),
            "{up}"
        );
        let (up, _) = write(&script(&[("a", StepKind::Create)]), Beginning::Later);
        assert!(!up.contains("IF NOT EXISTS"), "{up}");
    }

    #[test]
    fn a_table_that_is_written_anew_is_in_the_frame() {
        let (up, down) = write(&script(&[("a", StepKind::Rebuild)]), Beginning::Later);
        assert!(up.starts_with("-- no-transaction\nBEGIN;\n") && up.ends_with("COMMIT;\n"), "{up}");
        assert!(down.starts_with("-- no-transaction\n"), "{down}");
        let (up, _) = write(&script(&[("a", StepKind::Alter)]), Beginning::Later);
        assert!(up.starts_with("-- Makes"), "{up}");
    }
}
