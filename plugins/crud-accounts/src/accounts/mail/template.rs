//! [`Templates`]: the texts of mails, with placeholders such as `{link}`.

use std::collections::HashMap;

use crud_runtime::{Error, Result};

use super::letter::Letter;

/// The names of placeholders that a text may have.
const WORDS: [&str; 4] = ["service", "address", "link", "inviter"];

/// The texts of all letters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Templates(HashMap<Letter, String>);

/// The values of the placeholders.
#[derive(Debug)]
pub(crate) struct TemplateValues<'w> {
    pub(crate) service: &'w str,
    pub(crate) address: &'w str,
    pub(crate) link: &'w str,
    pub(crate) inviter: &'w str,
}

impl Templates {
    /// Replaces the text of a letter.
    pub(crate) fn set(&mut self, letter: Letter, text: String) {
        self.0.insert(letter, text);
    }

    fn of(&self, letter: Letter) -> &str {
        self.0.get(&letter).map_or(letter.text(), String::as_str)
    }

    /// Checks that each text has a subject, the link where it needs one, and no unknown placeholder.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first text that does not.
    pub(crate) fn check(&self) -> Result<()> {
        for letter in Letter::ALL {
            let (text, name) = (self.of(letter), letter.as_str());
            let refuse = |why: String| Err(Error::Setup(format!("the mail `{name}` {why}")));
            let Some((subject, body)) = text.split_once("\n\n") else {
                return refuse("must begin with its subject and an empty line".to_owned());
            };
            if subject.trim().is_empty() || subject.contains('\n') {
                return refuse("must begin with one line, which is its subject".to_owned());
            }
            if letter.has_token() && !body.contains("{link}") {
                return refuse("must have `{link}`".to_owned());
            }
            let words = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(word, _)| word);
            if let Some(unknown) = words.into_iter().find(|word| !WORDS.contains(word)) {
                return refuse(format!(
                    "has the unknown word `{{{unknown}}}`: expected one of `{{{}}}`",
                    WORDS.join("}`, `{")
                ));
            }
        }
        Ok(())
    }

    /// The subject and the body of a letter, with placeholders filled in.
    pub(crate) fn fill(&self, letter: Letter, words: &TemplateValues<'_>) -> (String, String) {
        let (subject, body) = self.of(letter).split_once("\n\n").unwrap_or_default();
        (filled(subject, words), filled(body, words))
    }
}

/// The text with its placeholders filled in. Braces in a value stay as they are; its control characters become spaces.
fn filled(text: &str, words: &TemplateValues<'_>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((word, next)) = after.split_once('}') else {
            rest = &rest[before.len()..];
            break;
        };
        let value = match word {
            "service" => words.service,
            "address" => words.address,
            "link" => words.link,
            "inviter" => words.inviter,
            _ => "",
        };
        filled.extend(value.chars().map(|character| if character.is_control() { ' ' } else { character }));
        rest = next;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: TemplateValues<'_> = TemplateValues {
        service: "Shop",
        address: "ann@example.com",
        link: "https://shop.example/#a",
        inviter: "{link}\nBob",
    };

    #[test]
    fn texts_of_the_crate_are_whole() {
        let templates = Templates::default();
        templates.check().unwrap();
        for letter in Letter::ALL {
            let (subject, body) = templates.fill(letter, &WORDS);
            assert!(subject.contains("Shop") && !subject.contains('\n'), "{subject}");
            assert!(body.contains("ann@example.com") && body.contains("https://shop.example/"), "{body}");
        }
    }

    #[test]
    fn brace_that_nothing_closes_is_text() {
        assert_eq!(filled("Dear {address}, {", &WORDS), "Dear ann@example.com, {");
    }

    #[test]
    fn value_with_braces_and_line_breaks_is_text() {
        let mut templates = Templates::default();
        templates.set(Letter::Invitation, "From {inviter}\n\n{inviter} {link}".to_owned());
        let (subject, body) = templates.fill(Letter::Invitation, &WORDS);
        assert_eq!((subject.as_str(), body.as_str()), ("From {link} Bob", "{link} Bob https://shop.example/#a"));
    }

    #[test]
    fn text_without_a_subject_a_link_or_with_an_unknown_word_is_refused() {
        for (text, expected) in [
            ("Hello {link}", "must begin with its subject and an empty line"),
            ("\n\n{link}", "must begin with one line"),
            ("Hello\n\nOpen the page", "must have `{link}`"),
            ("Hello\n\n{link} {name}", "unknown word `{name}`"),
        ] {
            let mut templates = Templates::default();
            templates.set(Letter::Reset, text.to_owned());
            let error = templates.check().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
