//! Former spellings: each is an error that shows the present one with the names of the struct, and is read as that one.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use super::entry::{Entry, Form, Indexed, is_literal};
use crate::ctxt::Ctxt;
use crate::key::{Former, Piece, Place};

/// An entry of a former key.
pub(super) type Old<'p> = (&'p Former, Entry);

/// The number of digits of a decimal that gave only those after the point.
const DIGITS: u32 = 18;

/// Entries with the present keys in place of the former ones, which are reported: one error for all of one present key.
pub(super) fn respell(entries: Vec<Indexed>, place: &Place, cx: &Ctxt) -> Vec<Indexed> {
    let (mut present, former) = split(entries, place);
    let mut groups: Vec<(usize, Vec<Old<'_>>)> = Vec::new();
    for (former, entry) in former {
        match groups.iter_mut().find(|(to, _)| *to == former.to) {
            Some((_, group)) => group.push((former, entry)),
            None => groups.push((former.to, vec![(former, entry)])),
        }
    }
    for (to, group) in groups {
        let base = present.iter().position(|(index, _)| *index == to);
        let entry = merge(base.map(|base| &present[base].1), &group, place, to, cx);
        match (base, entry) {
            (Some(base), Some(entry)) => present[base].1 = entry,
            (None, Some(entry)) => present.push((to, entry)),
            (_, None) => {}
        }
    }
    present
}

/// The entries of present keys, and those of former ones.
pub(super) fn split(entries: Vec<Indexed>, place: &Place) -> (Vec<Indexed>, Vec<Old<'_>>) {
    let (mut present, mut former) = (Vec::new(), Vec::new());
    for (index, entry) in entries {
        match index.checked_sub(place.keys.len()).and_then(|index| place.former.get(index)) {
            Some(key) => former.push((key, entry)),
            None => present.push((index, entry)),
        }
    }
    (present, former)
}

/// The entry of the present key, with what the former keys say. `base`: the entry that it has already.
fn merge(base: Option<&Entry>, group: &[Old<'_>], place: &Place, to: usize, cx: &Ctxt) -> Option<Entry> {
    let (spec, (_, first)) = (place.keys.get(to)?, group.first()?);
    let (mut items, mut written) = (Vec::new(), Vec::new());
    let mut digits = [None, None];
    for (former, entry) in group {
        let Some(piece) = piece(former.piece, entry, cx) else { continue };
        written.push(entry.shown());
        match former.piece {
            Piece::Digits(position) => digits[position] = Some(piece),
            _ if piece.is_empty() => {}
            _ => items.push(piece),
        }
    }
    let [precision, scale] = digits;
    let precision = precision.or_else(|| scale.as_ref().map(|_| Literal::u32_unsuffixed(DIGITS).into_token_stream()));
    items.extend(precision.into_iter().chain(scale));
    if written.is_empty() {
        return None;
    }
    let span = first.key.span();
    if items.is_empty() {
        cx.error(span, format_args!("`{}` is the default: remove it", written.join(", ")));
        return None;
    }
    match base.map(|base| &base.value) {
        Some(Form::Assign(_, value)) => {
            written.extend(base.map(Entry::shown));
            written.rotate_right(1);
            items.insert(0, value.clone());
        }
        Some(Form::List(_, tokens)) if !tokens.is_empty() => items.insert(0, tokens.clone()),
        _ => {}
    }
    let shown = items.iter().map(present).collect::<Vec<_>>().join(", ");
    let (tokens, written, name) = (joined(items, span), written.join(", "), spec.name);
    if base.is_none() && ["references", "view"].contains(&name) {
        // There is no resource or SQL that it could be shown with.
        cx.error(span, format_args!("`{written}` is now in `{name}(…, {shown})`"));
        return None;
    }
    cx.error(span, format_args!("`{written}` is now `{name}({shown})`"));
    let key = base.map_or(&first.key, |base| &base.key).clone();
    Some(Entry { key, spec, value: Form::List(span, tokens) })
}

/// Items for a message: `name = expression` among them as `name(expression)`.
fn present(items: &TokenStream) -> String {
    let mut shown = Vec::new();
    for item in items_of(items) {
        let mut trees = item.clone().into_iter();
        let (name, sign) = (trees.next(), trees.next());
        let value: TokenStream = trees.collect();
        shown.push(match (name, sign) {
            (Some(TokenTree::Ident(name)), Some(TokenTree::Punct(sign)))
                if sign.as_char() == '=' && !is_literal(&value) =>
            {
                format!("{name}({})", text(&value))
            }
            _ => text(&item),
        });
    }
    shown.join(", ")
}

/// The items between commas.
fn items_of(tokens: &TokenStream) -> Vec<TokenStream> {
    let mut items = vec![TokenStream::new()];
    for tree in tokens.clone() {
        if matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ',') {
            items.push(TokenStream::new());
        } else if let Some(item) = items.last_mut() {
            item.extend([tree]);
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// Items with commas between them.
fn joined(items: Vec<TokenStream>, span: Span) -> TokenStream {
    let mut tokens = TokenStream::new();
    for item in items {
        if !tokens.is_empty() {
            let mut comma = Punct::new(',', Spacing::Alone);
            comma.set_span(span);
            tokens.extend([TokenTree::Punct(comma)]);
        }
        tokens.extend(item);
    }
    tokens
}

/// The item inside of the present key, with the spans of the former one. A malformed value is reported.
fn piece(piece: Piece, entry: &Entry, cx: &Ctxt) -> Option<TokenStream> {
    let span = entry.key.span();
    let word = |name: &str| Ident::new(name, span);
    let assign = |name: &str, value: &TokenStream| {
        let (name, sign) = (word(name), quote_spanned!(span=> =));
        quote!(#name #sign #value)
    };
    let call = |name: &str, value: &TokenStream| {
        let mut group = Group::new(Delimiter::Parenthesis, value.clone());
        group.set_span(span);
        let name = word(name);
        quote!(#name #group)
    };
    match piece {
        Piece::Word(name) => entry.flag(cx).map(|_| word(name).into_token_stream()),
        Piece::Value(name) => entry.assigned(cx).map(|value| assign(name, value)),
        Piece::Call(name) => entry.assigned(cx).map(|value| call(name, value)),
        Piece::Expression(name) => {
            entry.assigned(cx).map(|value| if is_literal(value) { assign(name, value) } else { call(name, value) })
        }
        Piece::List(name) => entry
            .list(cx)
            .filter(|items| name == "reads" || !items.is_empty() || refused(entry, cx))
            .map(|items| call(name, items)),
        Piece::Items => entry.list(cx).filter(|items| !items.is_empty() || refused(entry, cx)).cloned(),
        Piece::Bound(name) => entry.assigned(cx).map(|value| {
            if value.to_string() == "none" { word("unbounded").into_token_stream() } else { assign(name, value) }
        }),
        Piece::Digits(_) => entry.assigned(cx).cloned(),
        Piece::Unless(name) => entry.boolean(cx).map(|on| {
            let word = word(name);
            if on { TokenStream::new() } else { quote!(#word) }
        }),
        Piece::OnField => None,
    }
}

/// Reports an empty list; `false`.
fn refused(entry: &Entry, cx: &Ctxt) -> bool {
    entry.refuse(cx);
    false
}

impl Entry {
    /// The entry as it is written, for a message.
    pub(super) fn shown(&self) -> String {
        let name = self.spec.name;
        match &self.value {
            Form::Flag => name.to_owned(),
            Form::Assign(_, tokens) => format!("{name} = {}", text(tokens)),
            Form::List(_, tokens) => format!("{name}({})", text(tokens)),
        }
    }
}

/// Tokens as they are written in attributes, for a message.
pub(super) fn text(tokens: &TokenStream) -> String {
    let mut text = String::new();
    append(tokens, &mut text);
    text.trim_end().to_owned()
}

fn append(tokens: &TokenStream, text: &mut String) {
    let mut operator = String::new();
    for tree in tokens.clone() {
        match tree {
            TokenTree::Punct(punct) => {
                operator.push(punct.as_char());
                if punct.spacing() == Spacing::Alone {
                    append_operator(&std::mem::take(&mut operator), text);
                }
            }
            tree => {
                append_operator(&std::mem::take(&mut operator), text);
                append_tree(&tree, text);
            }
        }
    }
    append_operator(&operator, text);
}

fn append_tree(tree: &TokenTree, text: &mut String) {
    let ends_a_word = text.ends_with(|last: char| last.is_alphanumeric() || "_\"')]".contains(last));
    match tree {
        TokenTree::Group(group) => {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::Brace => (" { ", " }"),
                Delimiter::None => ("", ""),
            };
            text.push_str(open);
            append(&group.stream(), text);
            text.truncate(text.trim_end().len());
            text.push_str(close);
        }
        word => {
            if ends_a_word {
                text.push(' ');
            }
            text.push_str(&word.to_string());
        }
    }
}

fn append_operator(run: &str, text: &mut String) {
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let known = ["::", "->", "=>", "==", "..", "||", "&&"].into_iter().find(|known| rest.starts_with(known));
        let operator = known.unwrap_or(&rest[..first.len_utf8()]);
        rest = &rest[operator.len()..];
        let is_prefix = text.is_empty() || text.ends_with(['(', '[', ' ']);
        match operator {
            "," | ":" | ";" => text.extend([operator, " "]),
            "::" | "." | ".." | "!" | "&" | "<" | ">" | "?" | "'" | "#" | "$" => text.push_str(operator),
            _ if is_prefix => text.push_str(operator),
            _ => text.extend([" ", operator, " "]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn tokens_are_shown_as_they_are_written() {
        for source in [
            "Status::Open",
            "any(role(\"a\"), all(authenticated, permission(\"p\")))",
            "-created_at, name",
            "Genre::of(1 + 2)",
            "include_str!(\"view.sql\")",
            "-0.5",
            "Order.product_id, limit = 10",
            "Some(\"x\".to_owned())",
            "Vec::<u8, u8>::new()",
        ] {
            assert_eq!(text(&source.parse().expect("tokens")), source);
        }
    }
}
