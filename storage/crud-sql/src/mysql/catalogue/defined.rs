//! The parts of a table that its definition has on a line each: CHECK constraints, and the foreign keys for a user to whom the
//! catalogue does not show them, as it does to one with rights on the table beside those to read and change records.

use crate::catalogue::table::{Check, ForeignKey};

/// The foreign keys of a definition, whose lines have one each:
/// ``CONSTRAINT `a` FOREIGN KEY (`b`) REFERENCES `c` (`d`) ON DELETE CASCADE``.
pub(super) fn foreign_keys(definition: &str) -> Vec<ForeignKey> {
    definition.lines().filter_map(foreign_key).collect()
}

fn foreign_key(line: &str) -> Option<ForeignKey> {
    let rest = line.trim().trim_end_matches(',').strip_prefix("CONSTRAINT ")?;
    let (name, rest) = rest.split_once(" FOREIGN KEY (")?;
    let (columns, rest) = rest.split_once(") REFERENCES ")?;
    let (table, rest) = rest.split_once(" (")?;
    let (targets, actions) = rest.split_once(')')?;
    let columns = names(columns, ", ").into_iter().zip(names(targets, ", ").into_iter().map(Some)).collect();
    let (name, tables) = (names(name, ".").concat(), names(table, "."));
    let schema = tables.first().filter(|_| tables.len() > 1).cloned();
    let table = tables.join(".");
    let (delete, update) = match actions.split_once(" ON UPDATE ") {
        Some((delete, update)) => (delete, update),
        None => (actions, "NO ACTION"),
    };
    let on_delete = delete.strip_prefix(" ON DELETE ").unwrap_or("RESTRICT").to_owned();
    // To InnoDB both are one.
    let on_update = if update == "RESTRICT" { "NO ACTION" } else { update }.to_owned();
    Some(ForeignKey { name: Some(name), table, schema, columns, on_delete, on_update })
}

/// The CHECK constraints of a definition, whose lines have one each: ``CONSTRAINT `check_a__b` CHECK (`b` > 0)``.
pub(in crate::mysql) fn checks(definition: &str) -> Vec<Check> {
    definition.lines().filter_map(check).collect()
}

fn check(line: &str) -> Option<Check> {
    let rest = line.trim().trim_end_matches(',').strip_prefix("CONSTRAINT ")?;
    let (name, rest) = rest.split_once(" CHECK (")?;
    Some(Check { name: names(name, ".").concat(), condition: rest.strip_suffix(')')?.to_owned() })
}

/// The names in a list of quoted ones.
fn names(list: &str, separator: &str) -> Vec<String> {
    list.split(separator).map(|name| name.trim_matches('`').replace("``", "`")).collect()
}

/// The statement that creates a table, without a foreign key, which is a line of it, as the server spells it.
#[cfg(feature = "migrations")]
pub(in crate::mysql) fn without_key(create: &str, name: &str) -> String {
    let is_key = |line: &&str| {
        let named = line.trim_start().strip_prefix("CONSTRAINT ").and_then(|rest| rest.split_once(" FOREIGN KEY "));
        named.is_some_and(|(own, _)| own.trim_matches('`') == name)
    };
    let lines: Vec<&str> = create.lines().filter(|line| !is_key(line)).collect();
    let text = lines.join("\n");
    match text.rsplit_once(",\n)") {
        Some((columns, options)) if !options.contains('\n') => format!("{columns}\n){options}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_with_their_actions() {
        let definition = "CREATE TABLE `a` (\n  `id` int NOT NULL,\n  PRIMARY KEY (`id`),\n  KEY `b` (`c`),\n  \
                          CONSTRAINT `one` FOREIGN KEY (`c`) REFERENCES `d` (`id`),\n  \
                          CONSTRAINT `t``wo` FOREIGN KEY (`c`, `e`) REFERENCES `other`.`d` (`f`, `g`) ON DELETE SET NULL ON UPDATE CASCADE\n) \
                          ENGINE=InnoDB";
        let keys = foreign_keys(definition);
        let pair = |one: &str, other: &str| (one.to_owned(), Some(other.to_owned()));
        assert_eq!(keys.len(), 2);
        assert_eq!((keys[0].name.as_deref(), &*keys[0].table, &*keys[0].on_delete), (Some("one"), "d", "RESTRICT"));
        assert_eq!(keys[0].columns, [pair("c", "id")]);
        assert_eq!((keys[1].name.as_deref(), &*keys[1].table), (Some("t`wo"), "other.d"));
        assert_eq!((&*keys[1].on_delete, &*keys[1].on_update), ("SET NULL", "CASCADE"));
        assert_eq!(keys[1].columns, [pair("c", "f"), pair("e", "g")]);
    }
}
