//! [`carry`]: applies the change of a template to a file that was made from it and may have been edited.

use std::ops::Range;

use similar::{MergeResolution, TextMerge};

/// A file with the changes of its template.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) text: String,
    /// The changes that conflict with edits of the file, as lines of a diff.
    pub(crate) remaining: Vec<String>,
}

/// Merges the difference of two texts of a template into a file that was made from the first. A change that the file
/// has already is not repeated.
pub(crate) fn carry(from: &str, to: &str, file: &str) -> Carried {
    let merge = TextMerge::from_lines(from, file, to);
    let (mut text, mut remaining) = (String::new(), Vec::new());
    let ours = |range: Range<usize>| range.filter_map(|line| merge.ours_line(line));
    let theirs = |range: Range<usize>| range.filter_map(|line| merge.theirs_line(line));
    for region in merge.regions() {
        match region.resolution() {
            MergeResolution::Theirs => text.extend(theirs(region.theirs_range())),
            MergeResolution::Conflict => {
                text.extend(ours(region.ours_range()));
                let removed = region.base_range().filter_map(|line| merge.base_line(line));
                let removed = removed.map(|line| format!("-{line}"));
                remaining.push(removed.chain(theirs(region.theirs_range()).map(|line| format!("+{line}"))).collect());
            }
            _ => text.extend(ours(region.ours_range())),
        }
    }
    Carried { text, remaining }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "mod resources;\n\nfn main() {\n    let service = open();\n    run(service);\n}\n";
    const TO: &str =
        "mod resources;\n\nuse auth;\n\nfn main() {\n    let service = open();\n    run_with(service, auth);\n}\n";

    #[test]
    fn an_edited_file_gets_the_changes_of_its_template() {
        assert_eq!(carry(FROM, TO, FROM), Carried { text: TO.to_owned(), remaining: Vec::new() });
        let mine = |text: &str| format!("//! Mine.\n\n{text}\nfn mine() {{}}\n");
        assert_eq!(carry(FROM, TO, &mine(FROM)), Carried { text: mine(TO), remaining: Vec::new() });
    }

    #[test]
    fn a_change_is_carried_once() {
        assert_eq!(carry(FROM, TO, TO), Carried { text: TO.to_owned(), remaining: Vec::new() });
    }

    #[test]
    fn a_change_whose_place_is_edited_is_left() {
        let edited = FROM.replace("run(service)", "serve(service)");
        let carried = carry(FROM, TO, &edited);
        assert_eq!(carried.text, TO.replace("run_with(service, auth)", "serve(service)"));
        assert_eq!(carried.remaining, ["-    run(service);\n+    run_with(service, auth);\n"]);
    }
}
