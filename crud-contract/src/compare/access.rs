//! Access rules, as texts: `role("editor")`, `any(role("editor"), permission("books:write"))`.

/// Whether everyone whom a rule admitted is still admitted, as far as the texts say.
pub(super) fn is_as_wide(old: &str, new: &str) -> bool {
    old == new
        || new == "public"
        || new == "authenticated" && old != "public"
        || alternatives(new).is_some_and(|all| alternatives(old).unwrap_or(vec![old]).iter().all(|it| all.contains(it)))
        || parts(old, "all(")
            .is_some_and(|all| parts(new, "all(").unwrap_or(vec![new]).iter().all(|it| all.contains(it)))
}

fn alternatives(rule: &str) -> Option<Vec<&str>> {
    parts(rule, "any(")
}

/// The parts of `any(a, b)`, with nested ones whole.
fn parts<'r>(rule: &'r str, opening: &str) -> Option<Vec<&'r str>> {
    let inner = rule.strip_prefix(opening)?.strip_suffix(')')?;
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (index, letter) in inner.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(inner[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(inner[start..].trim());
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_is_as_wide_if_its_text_admits_all_who_were_admitted() {
        for (old, new) in [
            ("role(\"a\")", "role(\"a\")"),
            ("role(\"a\")", "public"),
            ("role(\"a\")", "authenticated"),
            ("role(\"a\")", "any(role(\"b\"), role(\"a\"))"),
            ("any(role(\"a\"), role(\"b\"))", "any(role(\"b\"), role(\"a\"), role(\"c\"))"),
            ("all(role(\"a\"), role(\"b\"))", "role(\"a\")"),
        ] {
            assert!(is_as_wide(old, new), "{old} {new}");
        }
        for (old, new) in [
            ("public", "authenticated"),
            ("authenticated", "role(\"a\")"),
            ("role(\"a\")", "role(\"b\")"),
            ("any(role(\"a\"), role(\"b\"))", "role(\"a\")"),
            ("role(\"a\")", "all(role(\"a\"), role(\"b\"))"),
        ] {
            assert!(!is_as_wide(old, new), "{old} {new}");
        }
    }
}
