//! "Did you mean": the nearest spelling among names.

/// The name that was most likely meant.
pub fn to<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&word.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// The names in backticks, as prose.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// What to say of a name that is none of these: the nearest one, or all of them.
pub fn hint<'a>(word: &str, names: impl IntoIterator<Item = &'a str, IntoIter: Clone>) -> String {
    let names = names.into_iter();
    match to(word, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected {}", list(names)),
    }
}
