//! The patterns that mean the same to Rust's `regex` and to ECMA-262 with the flag `u`.
//!
//! The server matches with `regex`, clients and browsers by ECMA-262. A `pattern` may therefore use what both share:
//! literal characters, their escapes, classes in brackets, `\p{…}` of general categories and scripts, groups,
//! alternation, quantifiers, `^` and `$`. What differs in meaning is an error with what to write instead: `\d`, `\w`,
//! `\s` and `\b` are Unicode in Rust and ASCII in ECMA-262, and `.` excludes other line ends.

use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassPerlKind, ClassSet, ClassSetItem, ClassUnicodeKind, ClassUnicodeOpKind, GroupKind,
    HexLiteralKind, Literal, LiteralKind, SpecialLiteralKind,
};
use regex_syntax::hir::{Hir, HirKind};

/// About as many states as Rust's `regex` compiles.
const MAX_STATES: u64 = 100_000;

/// The syntax characters of ECMA-262, and the slash: the characters that `\` can escape.
const SYNTAX_CHARACTERS: &str = "^$\\.*+?()[]{}|/";

/// Checks a pattern. The error says what is wrong, and what to write instead.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    let ast = ast::parse::Parser::new().parse(pattern).map_err(|error| invalid(&error.kind()))?;
    Checker { pattern }.ast(&ast)?;
    let hir = regex_syntax::hir::translate::Translator::new()
        .translate(pattern, &ast)
        .map_err(|error| invalid(&error.kind()))?;
    if states(&hir) > MAX_STATES {
        return Err("this pattern is too large: repeat less".to_owned());
    }
    Ok(())
}

fn invalid(problem: &dyn std::fmt::Display) -> String {
    format!("expected a regular expression: {problem}")
}

fn refuse(what: &str, why: &str, instead: &str) -> Result<(), String> {
    Err(format!("`{what}` {why}: write {instead}"))
}

const DIFFERS: &str = "has another meaning in browsers, which read the OpenAPI document";
const RUST_ALONE: &str = "is not valid in browsers, which read the OpenAPI document";

struct Checker<'p> {
    pattern: &'p str,
}

impl Checker<'_> {
    fn text(&self, span: &ast::Span) -> &str {
        self.pattern.get(span.start.offset..span.end.offset).unwrap_or_default()
    }

    fn ast(&self, ast: &Ast) -> Result<(), String> {
        match ast {
            Ast::Empty(_) => Ok(()),
            Ast::Flags(flags) => refuse(self.text(&flags.span), RUST_ALONE, "classes such as `[aA]` instead of flags"),
            Ast::Literal(literal) => self.literal(literal, false),
            Ast::Dot(_) => refuse(".", DIFFERS, "`[^\\n]`"),
            Ast::Assertion(assertion) => self.assertion(assertion),
            Ast::ClassUnicode(class) => self.unicode(class),
            Ast::ClassPerl(class) => perl(class),
            Ast::ClassBracketed(class) => self.class_set(&class.kind),
            Ast::Repetition(repetition) => self.repetition(repetition),
            Ast::Group(group) => self.group(group),
            Ast::Alternation(alternation) => alternation.asts.iter().try_for_each(|ast| self.ast(ast)),
            Ast::Concat(concat) => concat.asts.iter().try_for_each(|ast| self.ast(ast)),
        }
    }

    fn literal(&self, literal: &Literal, in_class: bool) -> Result<(), String> {
        let text = self.text(&literal.span);
        match &literal.kind {
            LiteralKind::Verbatim if "]}".contains(literal.c) => {
                refuse(text, "must be escaped in browsers", &format!("`\\{}`", literal.c))
            }
            LiteralKind::Verbatim
            | LiteralKind::HexFixed(HexLiteralKind::X | HexLiteralKind::UnicodeShort)
            | LiteralKind::HexBrace(HexLiteralKind::UnicodeShort)
            | LiteralKind::Special(
                SpecialLiteralKind::FormFeed
                | SpecialLiteralKind::Tab
                | SpecialLiteralKind::LineFeed
                | SpecialLiteralKind::CarriageReturn
                | SpecialLiteralKind::VerticalTab,
            ) => Ok(()),
            LiteralKind::Meta | LiteralKind::Superfluous => {
                let shared = SYNTAX_CHARACTERS.contains(literal.c) || (in_class && literal.c == '-');
                if shared { Ok(()) } else { refuse(text, RUST_ALONE, &format!("`{}`", literal.c)) }
            }
            _ => refuse(text, RUST_ALONE, &format!("`\\u{{{:X}}}`", u32::from(literal.c))),
        }
    }

    fn assertion(&self, assertion: &ast::Assertion) -> Result<(), String> {
        match assertion.kind {
            AssertionKind::StartLine | AssertionKind::EndLine => Ok(()),
            AssertionKind::StartText => refuse("\\A", RUST_ALONE, "`^`"),
            AssertionKind::EndText => refuse("\\z", RUST_ALONE, "`$`"),
            _ => refuse(
                self.text(&assertion.span),
                DIFFERS,
                "the characters on either side as a class, such as `[^0-9A-Za-z_]`",
            ),
        }
    }

    fn unicode(&self, class: &ast::ClassUnicode) -> Result<(), String> {
        let shared = match &class.kind {
            ClassUnicodeKind::OneLetter(_) => false,
            ClassUnicodeKind::Named(name) => GENERAL_CATEGORIES.contains(&name.as_str()),
            ClassUnicodeKind::NamedValue { op, name, value } => {
                let category = ["General_Category", "gc"].contains(&name.as_str());
                let script = ["Script", "sc", "Script_Extensions", "scx"].contains(&name.as_str());
                let known = script || (category && GENERAL_CATEGORIES.contains(&value.as_str()));
                *op == ClassUnicodeOpKind::Equal && known
            }
        };
        if shared {
            Ok(())
        } else {
            refuse(
                self.text(&class.span),
                RUST_ALONE,
                "a general category such as `\\p{L}` or a script such as `\\p{Script=Greek}`",
            )
        }
    }

    fn class_set(&self, set: &ClassSet) -> Result<(), String> {
        match set {
            ClassSet::Item(item) => self.class_item(item),
            ClassSet::BinaryOp(operation) => {
                refuse(self.text(&operation.span), RUST_ALONE, "the characters themselves, without `&&`, `--` or `~~`")
            }
        }
    }

    fn class_item(&self, item: &ClassSetItem) -> Result<(), String> {
        match item {
            ClassSetItem::Empty(_) => Ok(()),
            ClassSetItem::Literal(literal) => self.literal(literal, true),
            ClassSetItem::Range(range) => {
                self.literal(&range.start, true).and_then(|()| self.literal(&range.end, true))
            }
            ClassSetItem::Ascii(class) => {
                refuse(self.text(&class.span), RUST_ALONE, "the ranges themselves, such as `a-z`")
            }
            ClassSetItem::Unicode(class) => self.unicode(class),
            ClassSetItem::Perl(class) => perl(class),
            ClassSetItem::Bracketed(class) => {
                refuse(self.text(&class.span), RUST_ALONE, "one class, or `\\[` for the character")
            }
            ClassSetItem::Union(union) => union.items.iter().try_for_each(|item| self.class_item(item)),
        }
    }

    fn repetition(&self, repetition: &ast::Repetition) -> Result<(), String> {
        let operator = self.text(&repetition.op.span);
        if matches!(*repetition.ast, Ast::Repetition(_) | Ast::Assertion(_) | Ast::Empty(_)) {
            return refuse(operator, "is not valid here in browsers", "a group: `(?:…)`");
        }
        if operator.starts_with("{,") || operator.contains(char::is_whitespace) {
            return refuse(operator, RUST_ALONE, "`{0,n}`, without spaces");
        }
        self.ast(&repetition.ast)
    }

    fn group(&self, group: &ast::Group) -> Result<(), String> {
        match &group.kind {
            GroupKind::CaptureIndex(_) => {}
            GroupKind::CaptureName { starts_with_p: true, name } => {
                return refuse("(?P<…>", RUST_ALONE, &format!("`(?<{}>`", name.name));
            }
            GroupKind::CaptureName { name, .. } => {
                if !name.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return refuse(&name.name, RUST_ALONE, "a name of letters, digits and `_`");
                }
            }
            GroupKind::NonCapturing(flags) if flags.items.is_empty() => {}
            GroupKind::NonCapturing(flags) => {
                let group = format!("(?{}:…)", self.text(&flags.span));
                return refuse(&group, RUST_ALONE, "classes such as `[aA]` instead of flags");
            }
        }
        self.ast(&group.ast)
    }
}

fn perl(class: &ast::ClassPerl) -> Result<(), String> {
    let (what, instead) = match (&class.kind, class.negated) {
        (ClassPerlKind::Digit, false) => ("\\d", "`[0-9]`"),
        (ClassPerlKind::Digit, true) => ("\\D", "`[^0-9]`"),
        (ClassPerlKind::Space, false) => ("\\s", "`[ \\t\\r\\n]`"),
        (ClassPerlKind::Space, true) => ("\\S", "`[^ \\t\\r\\n]`"),
        (ClassPerlKind::Word, false) => ("\\w", "`[0-9A-Za-z_]`"),
        (ClassPerlKind::Word, true) => ("\\W", "`[^0-9A-Za-z_]`"),
    };
    refuse(what, DIFFERS, instead)
}

/// The general categories as ECMA-262 spells them: short and long names.
const GENERAL_CATEGORIES: &[&str] = &[
    "L",
    "Letter",
    "LC",
    "Cased_Letter",
    "Lu",
    "Uppercase_Letter",
    "Ll",
    "Lowercase_Letter",
    "Lt",
    "Titlecase_Letter",
    "Lm",
    "Modifier_Letter",
    "Lo",
    "Other_Letter",
    "M",
    "Mark",
    "Mn",
    "Nonspacing_Mark",
    "Mc",
    "Spacing_Mark",
    "Me",
    "Enclosing_Mark",
    "N",
    "Number",
    "Nd",
    "Decimal_Number",
    "Nl",
    "Letter_Number",
    "No",
    "Other_Number",
    "P",
    "Punctuation",
    "Pc",
    "Connector_Punctuation",
    "Pd",
    "Dash_Punctuation",
    "Ps",
    "Open_Punctuation",
    "Pe",
    "Close_Punctuation",
    "Pi",
    "Initial_Punctuation",
    "Pf",
    "Final_Punctuation",
    "Po",
    "Other_Punctuation",
    "S",
    "Symbol",
    "Sm",
    "Math_Symbol",
    "Sc",
    "Currency_Symbol",
    "Sk",
    "Modifier_Symbol",
    "So",
    "Other_Symbol",
    "Z",
    "Separator",
    "Zs",
    "Space_Separator",
    "Zl",
    "Line_Separator",
    "Zp",
    "Paragraph_Separator",
];

fn states(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => 3 * class.ranges().len() as u64,
        HirKind::Class(regex_syntax::hir::Class::Bytes(class)) => class.ranges().len() as u64,
        HirKind::Repetition(repetition) => {
            let times = u64::from(repetition.max.unwrap_or(repetition.min).max(1));
            states(&repetition.sub).saturating_mul(times)
        }
        HirKind::Capture(capture) => states(&capture.sub) + 2,
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(states).fold(0, u64::saturating_add),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn patterns_of_the_shared_subset_are_accepted() {
        for pattern in [
            "",
            "^[a-z0-9]+(?:-[a-z0-9]+)*$",
            "^[A-Z]{2}[0-9]{4,8}$",
            "^\\+?[0-9 ]{3,20}$",
            "a|b",
            "[^\\n]*?",
            "^\\p{L}[\\p{L}\\p{Nd}_]*$",
            "\\p{Script=Greek}",
            "\\u00e9\\u{1F600}\\x41",
            "(?<year>[0-9]{4})",
            "[a\\-z]",
            "\\/\\.\\t",
            "[-a]",
            "é",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn patterns_outside_of_the_shared_subset_are_refused() {
        for pattern in [
            "(?i)a",
            "(?i:a)",
            "(?P<a>b)",
            "\\Aa",
            "a\\z",
            "[[:alpha:]]",
            "[a&&b]",
            "[a--b]",
            "\\h",
            "(?x) a",
            "a++",
            "(?=a)",
            "(?<=a)b",
            "\\d",
            "\\D",
            "\\w",
            "\\s",
            "\\b",
            "\\Ba",
            ".",
            "[a[b]]",
            "\\a",
            "\\U00000041",
            "\\x{41}",
            "\\pL",
            "\\p{Greek}",
            "\\p{Alphabetic}",
            "a}",
            "a]",
            "a**",
            "^*",
            "a{,3}",
            "\\#",
            "\\-",
            "[]a]",
            "(",
            "a{2,1}",
            "((a{1000}){1000}){10}",
            "\\b{start}",
            "(a)\\1",
            "\\p{gc!=L}",
        ] {
            assert!(check(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn the_error_says_what_to_write() {
        let message = check("^\\d+$").expect_err("a Unicode class");
        assert!(message.ends_with("write `[0-9]`"), "{message}");
    }
}
