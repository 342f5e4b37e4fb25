//! [`Body`]: what a module declares, imports and names, found in its tokens.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A module's items, imports and paths.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// The names of the items that it defines, modules apart.
    pub(crate) items: BTreeSet<String>,
    /// Its child modules, those of tests apart.
    pub(crate) children: Vec<Child>,
    /// Its imports, those inside functions included.
    pub(crate) uses: Vec<Use>,
    /// The paths in its code that have at least two segments.
    pub(crate) paths: Vec<Named>,
    /// Every identifier in its code.
    pub(crate) identifiers: BTreeSet<String>,
    /// The names of this crate by `extern crate self as …`.
    pub(crate) aliases: Vec<String>,
    /// Whether a macro stands where items do, or the derive that writes types, so that there may be further items.
    pub(crate) has_macros: bool,
}

/// A module that another declares.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// The path of `#[path = "…"]`.
    pub(crate) path: Option<String>,
    /// Body between its braces; none for `mod name;`.
    pub(crate) body: Option<Body>,
}

/// A path and its line.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
}

/// One name of a `use` item.
#[derive(Debug)]
pub(crate) struct Use {
    pub(crate) named: Named,
    /// The name that it binds; none for `*`.
    pub(crate) binds: Option<String>,
    /// Whether it stands inside a function, where other modules do not see it.
    pub(crate) is_local: bool,
}

impl Body {
    pub(crate) fn of(tokens: TokenStream) -> Self {
        let mut body = Self::default();
        body.add_items(&tokens.into_iter().collect::<Vec<_>>());
        body
    }

    fn add_items(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            let attributes = Attributes::at(tokens, at);
            if attributes.is_test && attributes.is_inner {
                *self = Self::default();
                return;
            }
            self.add_paths(&tokens[at..attributes.end]);
            self.has_macros |= attributes.derives_types && !attributes.is_test;
            let (keyword, end) = item(tokens, attributes.end);
            if !attributes.is_test {
                self.add_item(&tokens[attributes.end..end], keyword - attributes.end, attributes.path);
            }
            at = end;
        }
    }

    fn add_item(&mut self, item: &[TokenTree], keyword: usize, path: Option<String>) {
        let name = item.get(keyword + 1).and_then(identifier);
        match (item.get(keyword).and_then(identifier).as_deref(), name) {
            (Some("use"), _) => self.add_use(&item[keyword + 1..], false),
            (Some("extern"), Some(name)) if name == "crate" => {
                if let [TokenTree::Ident(of), TokenTree::Ident(_), alias, ..] = &item[keyword + 2..]
                    && of == "self"
                {
                    self.aliases.extend(identifier(alias));
                }
            }
            (Some("mod"), Some(name)) => {
                let body = match item.last() {
                    Some(TokenTree::Group(group)) => Some(Self::of(group.stream())),
                    _ => None,
                };
                let line = item[keyword].span().start().line;
                self.children.push(Child { name, line, path, body });
            }
            (Some("fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"), Some(name)) => {
                self.items.insert(name);
                self.add_paths(item);
            }
            (Some("static"), None) | (Some("impl" | "extern" | "const"), _) => self.add_paths(item),
            (Some("macro_rules"), _) => {
                self.items.extend(item.get(keyword + 2).and_then(identifier));
                self.add_paths(item);
            }
            _ => {
                self.has_macros |= item.len() > 1;
                self.add_paths(item);
            }
        }
    }

    /// The names of a `use` item, from behind its keyword.
    fn add_use(&mut self, tree: &[TokenTree], is_local: bool) {
        if !(is_double_colon(tree, 0)) {
            self.add_use_tree(tree, &[], is_local);
        }
    }

    fn add_use_tree(&mut self, tree: &[TokenTree], prefix: &[String], is_local: bool) {
        let mut segments = prefix.to_vec();
        let mut at = 0;
        loop {
            match tree.get(at) {
                Some(TokenTree::Group(group)) => {
                    let tokens: Vec<_> = group.stream().into_iter().collect();
                    for part in tokens.split(|token| is_punct(token, ',')).filter(|part| !part.is_empty()) {
                        self.add_use_tree(part, &segments, is_local);
                    }
                    return;
                }
                Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                    let named = Named { segments, line: punct.span().start().line };
                    self.uses.push(Use { named, binds: None, is_local });
                    return;
                }
                Some(token @ TokenTree::Ident(ident)) => {
                    let line = ident.span().start().line;
                    // `{self}` after a path is the path itself.
                    if ident != "self" || segments.is_empty() {
                        segments.extend(identifier(token));
                    }
                    if is_double_colon(tree, at + 1) {
                        at += 3;
                        continue;
                    }
                    let alias = tree.get(at + 1).and_then(identifier).filter(|word| word == "as");
                    let alias = alias.and_then(|_| tree.get(at + 2)).and_then(identifier);
                    let binds = alias.or_else(|| segments.last().cloned());
                    self.uses.push(Use { named: Named { segments, line }, binds, is_local });
                    return;
                }
                _ => return,
            }
        }
    }

    /// The identifiers, paths and local imports of code.
    fn add_paths(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Group(group) => {
                    if !is_visibility(tokens, at, group) {
                        self.add_paths(&group.stream().into_iter().collect::<Vec<_>>());
                    }
                    at += 1;
                }
                TokenTree::Punct(_) => {
                    let attributes = Attributes::at(tokens, at);
                    at = if attributes.is_test { end_of_part(tokens, attributes.end) } else { at + 1 };
                }
                TokenTree::Ident(ident) if ident == "use" && is_import(tokens, at) => {
                    let end = tokens[at..].iter().position(|token| is_punct(token, ';'));
                    let end = end.map_or(tokens.len(), |length| at + length);
                    self.add_use(&tokens[at + 1..end], true);
                    at = end;
                }
                TokenTree::Ident(ident) => {
                    let line = ident.span().start().line;
                    let starts = starts_path(tokens, at);
                    let mut segments: Vec<_> = identifier(token).into_iter().collect();
                    self.identifiers.extend(segments.iter().cloned());
                    at += 1;
                    while is_double_colon(tokens, at)
                        && let Some(segment) = tokens.get(at + 2).and_then(identifier)
                    {
                        segments.push(segment);
                        at += 3;
                    }
                    if starts && segments.len() > 1 {
                        self.paths.push(Named { segments, line });
                    }
                }
                TokenTree::Literal(_) => at += 1,
            }
        }
    }
}

/// The attributes before something.
#[derive(Debug, Default)]
struct Attributes {
    /// Start of the item that has them.
    end: usize,
    is_test: bool,
    is_inner: bool,
    /// Whether `Resource` is derived, which defines `NewThing` beside `Thing`.
    derives_types: bool,
    path: Option<String>,
}

impl Attributes {
    fn at(tokens: &[TokenTree], start: usize) -> Self {
        let mut found = Self { end: start, ..Self::default() };
        while tokens.get(found.end).is_some_and(|token| is_punct(token, '#')) {
            let is_inner = tokens.get(found.end + 1).is_some_and(|token| is_punct(token, '!'));
            let Some(TokenTree::Group(group)) = tokens.get(found.end + 1 + usize::from(is_inner)) else { break };
            if group.delimiter() != Delimiter::Bracket {
                break;
            }
            let inside: Vec<_> = group.stream().into_iter().collect();
            match (inside.first().and_then(identifier).as_deref(), inside.get(1), inside.get(2)) {
                (Some("cfg"), Some(TokenTree::Group(condition)), _) if holds_in_tests(condition) => {
                    found.is_test = true;
                    found.is_inner |= is_inner;
                }
                (Some("derive"), Some(TokenTree::Group(traits)), _) => {
                    let names = traits.stream().into_iter().filter_map(|token| identifier(&token));
                    found.derives_types |= names.into_iter().any(|name| name == "Resource");
                }
                (Some("path"), _, Some(TokenTree::Literal(path))) => {
                    found.path = Some(path.to_string().trim_matches('"').to_owned());
                }
                _ => {}
            }
            found.end += 2 + usize::from(is_inner);
        }
        found
    }
}

/// Whether a condition is that of a test build: `test`, or `all(…)` with it.
fn holds_in_tests(condition: &Group) -> bool {
    let tokens: Vec<_> = condition.stream().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(ident) if ident == "test" => true,
        TokenTree::Group(group) => {
            at.checked_sub(1).and_then(|before| identifier(&tokens[before])).is_some_and(|word| word == "all")
                && holds_in_tests(group)
        }
        _ => false,
    })
}

/// The index of an item's keyword and the index after its last token.
fn item(tokens: &[TokenTree], start: usize) -> (usize, usize) {
    let word = |at: usize| tokens.get(at).and_then(identifier);
    let mut at = start;
    while let Some(modifier) = word(at) {
        let next = word(at + 1);
        at += match (modifier.as_str(), next.as_deref(), tokens.get(at + 1)) {
            ("pub", _, Some(TokenTree::Group(group))) if group.delimiter() == Delimiter::Parenthesis => 2,
            ("extern", _, Some(TokenTree::Literal(_))) if word(at + 2).is_some() => 2,
            ("pub" | "unsafe" | "async" | "safe" | "auto" | "default", _, _)
            | ("const", Some("fn" | "unsafe" | "async" | "extern"), _)
            | ("extern", Some("fn"), _) => 1,
            _ => break,
        };
    }
    let only_semicolon = match word(at).as_deref() {
        Some("use" | "type" | "const" | "static") => true,
        Some("extern") => word(at + 1).is_some_and(|word| word == "crate"),
        _ => false,
    };
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !only_semicolon,
        token => is_punct(token, ';'),
    };
    let end = tokens[at..].iter().position(ends).map_or(tokens.len(), |length| at + length + 1);
    (at, end)
}

/// The index after a statement, a field, an arm or an item inside braces.
fn end_of_part(tokens: &[TokenTree], start: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_punct(token, ';') || is_punct(token, ','),
    };
    tokens[start..].iter().position(ends).map_or(tokens.len(), |length| start + length + 1)
}

/// Whether a path starts at this identifier: not in its middle, not a method, not a macro's variable.
fn starts_path(tokens: &[TokenTree], at: usize) -> bool {
    let before = |distance: usize, char| at >= distance && is_punct(&tokens[at - distance], char);
    let is_keyword = matches!(identifier(&tokens[at]).as_deref(), Some("crate" | "self" | "super"));
    let is_middle = at >= 2 && is_double_colon(tokens, at - 2);
    let is_method = before(1, '.') && !before(2, '.');
    let is_variable = before(1, '$') && !is_keyword;
    !(is_middle || is_method || is_variable || before(1, '\''))
}

/// Whether `use` is an import, and not that of `impl Trait + use<'a>`.
fn is_import(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at + 1), Some(TokenTree::Ident(_) | TokenTree::Group(_))) || is_double_colon(tokens, at + 1)
}

/// Whether a group is that of `pub(in crate::…)`.
fn is_visibility(tokens: &[TokenTree], at: usize, group: &Group) -> bool {
    let after_pub = at >= 1 && identifier(&tokens[at - 1]).is_some_and(|word| word == "pub");
    after_pub && group.stream().into_iter().next().and_then(|token| identifier(&token)).is_some_and(|word| word == "in")
}

fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

fn is_double_colon(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at).zip(tokens.get(at + 1)).is_some_and(|(first, second)| {
        let joint = matches!(first, TokenTree::Punct(punct) if punct.spacing() == proc_macro2::Spacing::Joint);
        joint && is_punct(first, ':') && is_punct(second, ':')
    })
}

/// The name of an identifier, without `r#`.
fn identifier(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            Some(name.strip_prefix("r#").map_or(name.clone(), str::to_owned))
        }
        _ => None,
    }
}
