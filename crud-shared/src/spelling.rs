//! "Did you mean": the nearest spelling among legal names.
//!
//! Nearest by the Damerau-Levenshtein distance: how many letters are inserted, removed, replaced or swapped with their
//! neighbour. A typing mistake is one or two of these, so a bound on the number accepts mistakes and nothing else. A
//! similarity between 0 and 1 (Jaro-Winkler) has no such bound: with a threshold that accepts mistakes it also offers
//! names that merely begin alike, such as `created_by` for `created_at`.

/// The longest word that is compared, in bytes: the distance is quadratic in it, and a word may come from a request.
const LONGEST: usize = 64;

/// The fewest letters of an abbreviation.
const ABBREVIATION: usize = 3;

/// The legal name that was most likely meant, if one is near enough. Case does not count.
///
/// A name is near when at most one letter differs, and one more for every four letters of the name. Where no name is
/// near, the first name that begins with the word is returned.
///
/// ```
/// use crud_shared::spelling::nearest;
///
/// assert_eq!(nearest("prize", ["price", "name"]), Some("price"));
/// assert_eq!(nearest("deleted", ["deleted_at_field"]), Some("deleted_at_field"));
/// assert_eq!(nearest("banana", ["price", "name"]), None);
/// ```
pub fn nearest<'a>(word: &str, legal: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let letters = word.chars().count();
    let mut near: Option<(usize, &str)> = None;
    let mut abbreviated = None;
    for candidate in legal {
        let name = candidate.to_lowercase();
        let length = name.chars().count();
        let most = 1 + length / 4;
        // The distance, which is costly to compute, is at least the difference in length.
        if letters.abs_diff(length) <= most {
            let distance = strsim::damerau_levenshtein(&word, &name);
            if distance <= most && near.is_none_or(|(nearest, _)| distance < nearest) {
                near = Some((distance, candidate));
            }
        }
        if word.len() >= ABBREVIATION && name.starts_with(&word) {
            abbreviated.get_or_insert(candidate);
        }
    }
    near.map(|(_, name)| name).or(abbreviated)
}

/// Whether two names differ by one slip: a letter more or less, another letter, or two swapped letters. Case, `-` and
/// `_` do not count.
///
/// ```
/// use crud_shared::spelling::is_slip;
///
/// assert!(is_slip("amdin", "admin") && is_slip("site_admin", "site-admin"));
/// assert!(!is_slip("editor", "auditor") && !is_slip("admin", "admin"));
/// ```
pub fn is_slip(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], "");
    let is_short = one.len().max(other.len()) <= LONGEST;
    one != other && is_short && strsim::damerau_levenshtein(&plain(one), &plain(other)) <= 1
}

/// The names in backticks, as prose: `` `a`, `b` or `c` ``.
///
/// ```
/// assert_eq!(crud_shared::spelling::alternatives(["a", "b", "c"]), "`a`, `b` or `c`");
/// ```
pub fn alternatives<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// The end of a message about a word that is not a legal name: the nearest one, or all of them.
///
/// ```
/// use crud_shared::spelling::hint;
///
/// assert_eq!(hint("prize", ["price", "name"]), "did you mean `price`?");
/// assert_eq!(hint("banana", ["price", "name"]), "expected `price` or `name`");
/// ```
pub fn hint<'a>(word: &str, legal: impl IntoIterator<Item = &'a str, IntoIter: Clone>) -> String {
    let legal = legal.into_iter();
    match nearest(word, legal.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected {}", alternatives(legal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_is_recognised() {
        let names = ["filter", "sort", "prefix"];
        assert_eq!(nearest("fliter", names), Some("filter"));
        assert_eq!(nearest("flter", names), Some("filter"));
        assert_eq!(nearest("Sort", names), Some("sort"));
        assert_eq!(nearest("zzz", names), None);
    }

    #[test]
    fn the_nearest_of_several_near_names_wins() {
        assert_eq!(nearest("max_lenght", ["min_length", "max_length"]), Some("max_length"));
    }

    #[test]
    fn an_abbreviation_is_completed() {
        let names = ["include_deleted_by_default", "deleted_at_field"];
        assert_eq!(nearest("deleted_at", names), Some("deleted_at_field"));
        assert_eq!(nearest("de", names), None);
    }

    #[test]
    fn a_long_word_is_not_compared() {
        let word = "a".repeat(LONGEST + 1);
        assert_eq!(nearest(&word, [word.as_str()]), None);
    }

    #[test]
    fn one_alternative_stands_alone() {
        assert_eq!(alternatives(["a"]), "`a`");
        assert_eq!(alternatives([]), "");
    }
}
