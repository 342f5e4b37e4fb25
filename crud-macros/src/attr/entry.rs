//! The grammar that all attributes share: `key`, `key = value` and `key(…)`, separated by commas.

use std::time::Duration;

use crud_shared::duration;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Lit, LitStr, Meta, Token, UnOp};

use super::{Literal, Spanned, unknown};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{AttributeKey, AttributePlace, Spec};

/// One attribute whose key is known.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) spec: &'static Spec,
    pub(crate) value: Form,
}

/// Form of the value after the key.
#[derive(Debug)]
pub(crate) enum Form {
    /// Nothing.
    Flag,
    /// `= tokens`; the span is the sign's.
    Assign(Span, TokenStream),
    /// `(tokens)`; the span is the parentheses'.
    List(Span, TokenStream),
}

/// An attribute and the index of its key in the place's list.
pub(crate) type Indexed = (usize, Entry);

/// A callback for a key that its place does not have. It takes the key with its value, or returns the key.
pub(crate) type TakeUnknown<'t> = &'t mut dyn FnMut(Ident, Form) -> Result<(), Ident>;

/// The entries of every `#[crud(…)]` among the attributes.
pub(crate) fn from_attributes<K: AttributeKey>(attributes: &[Attribute], cx: &Ctxt) -> Vec<(K, Entry)> {
    from_attributes_with(attributes, cx, &mut |key, _| Err(key))
}

/// The entries of every `#[crud(…)]` among the attributes. Keys that the place does not have go to `unknown` first.
pub(crate) fn from_attributes_with<K: AttributeKey>(
    attributes: &[Attribute],
    cx: &Ctxt,
    unknown: TakeUnknown<'_>,
) -> Vec<(K, Entry)> {
    let mut entries = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("crud")) {
        match &attribute.meta {
            Meta::List(list) if matches!(list.delimiter, syn::MacroDelimiter::Paren(_)) => {
                let parse = |input: ParseStream<'_>| parse_with(input, K::PLACE, cx, unknown);
                entries.extend(separated(list.tokens.clone(), cx, parse).into_iter().flatten());
            }
            other => cx.error_at(other, "expected attributes in parentheses: `#[crud(…)]`"),
        }
    }
    keyed(entries, cx)
}

/// The entries of a list.
pub(crate) fn from_tokens<K: AttributeKey>(tokens: TokenStream, cx: &Ctxt) -> Vec<(K, Entry)> {
    keyed(parse_all(tokens, K::PLACE, cx), cx)
}

/// The entries with their keys. A repeated key is reported, and its first entry kept.
pub(crate) fn keyed<K: AttributeKey>(mut entries: Vec<Indexed>, cx: &Ctxt) -> Vec<(K, Entry)> {
    refuse_duplicates(&mut entries, cx);
    entries.into_iter().filter_map(|(index, entry)| Some((*K::ALL.get(index)?, entry))).collect()
}

fn refuse_duplicates(entries: &mut Vec<Indexed>, cx: &Ctxt) {
    let mut seen: Vec<usize> = Vec::new();
    entries.retain(|(index, entry)| {
        let first = entry.spec.repeatable || !seen.contains(index);
        if first {
            seen.push(*index);
        } else {
            cx.error(entry.key.span(), format_args!("duplicate attribute `{}`: remove one", entry.spec.name));
        }
        first
    });
}

/// The entries of a list, with the indexes of their keys.
fn parse_all(tokens: TokenStream, place: &AttributePlace, cx: &Ctxt) -> Vec<Indexed> {
    separated(tokens, cx, |input| parse(input, place, cx)).into_iter().flatten().collect()
}

/// Parses items separated by commas. An item that does not parse is reported, and parsing continues after the next
/// comma.
pub(crate) fn separated<T>(
    tokens: TokenStream,
    cx: &Ctxt,
    mut item: impl FnMut(ParseStream<'_>) -> syn::Result<T>,
) -> Vec<T> {
    let mut items = Vec::new();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match item(input) {
                Ok(item) => {
                    items.push(item);
                    if !input.is_empty() && !input.peek(Token![,]) {
                        cx.push(&input.error("expected `,`"));
                    }
                }
                Err(error) => cx.push(&error),
            }
            skip_to_comma(input);
            let _ = input.parse::<Option<Token![,]>>();
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        cx.push(&error);
    }
    items
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        // The input is not empty, so that there is a token tree.
        let _ = input.parse::<TokenTree>();
    }
}

/// The next entry. An unknown key is reported.
pub(crate) fn parse(input: ParseStream<'_>, place: &AttributePlace, cx: &Ctxt) -> syn::Result<Option<Indexed>> {
    parse_with(input, place, cx, &mut |key, _| Err(key))
}

/// The next entry. A key that the place does not have goes to `unknown` first.
fn parse_with(
    input: ParseStream<'_>,
    place: &AttributePlace,
    cx: &Ctxt,
    unknown: TakeUnknown<'_>,
) -> syn::Result<Option<Indexed>> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error("expected the name of an attribute"));
    }
    let key = input.call(Ident::parse_any)?;
    let name = key.unraw().to_string();
    let value = form(input);
    let found = place.keys.iter().enumerate().find(|(_, spec)| spec.name == name);
    let hint = |key: &Ident| place.completion.inspect(|(module, _)| cx.hint_key(module, key));
    if let Some((index, spec)) = found {
        hint(&key);
        return Ok(Some((index, Entry { key, spec, value: value? })));
    }
    match value {
        Ok(value) => {
            if let Err(key) = unknown(key, value) {
                hint(&key);
                cx.error(key.span(), unknown::message(&name, place));
                skip_to_comma(input);
            }
            Ok(None)
        }
        Err(error) => {
            hint(&key);
            Err(error)
        }
    }
}

/// The value after a key.
pub(crate) fn form(input: ParseStream<'_>) -> syn::Result<Form> {
    if input.peek(Token![=]) {
        let sign: Token![=] = input.parse()?;
        return Ok(Form::Assign(sign.span, value_tokens(input)?));
    }
    if input.peek(syn::token::Paren) {
        let TokenTree::Group(group) = input.parse()? else { return Err(input.error("expected `(`")) };
        return Ok(Form::List(group.span(), group.stream()));
    }
    Ok(Form::Flag)
}

/// The next value: an expression, or what ends at the next comma.
// An expression may contain commas outside of parentheses (`Foo::<A, B>::new()`). What syn without its feature `full`
// does not parse as an expression (a closure, a block) ends at the next comma.
pub(super) fn value_tokens(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if input.fork().parse::<Expr>().is_ok() {
        return Ok(input.parse::<Expr>()?.into_token_stream());
    }
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?.to_tokens(&mut tokens);
    }
    Ok(tokens)
}

impl Entry {
    /// The span of the value, or of the key where there is none.
    pub(crate) fn value_span(&self) -> SpanRange {
        match &self.value {
            Form::Assign(_, tokens) if !tokens.is_empty() => SpanRange::covering(tokens),
            Form::Assign(sign, _) => (*sign).into(),
            Form::List(span, _) => (*span).into(),
            Form::Flag => self.key.span().into(),
        }
    }

    /// Reports a value that is not the key's legal form.
    pub(crate) fn refuse(&self, cx: &Ctxt) {
        cx.error(self.value_span(), format_args!("expected {}", self.spec.form));
    }

    /// The tokens of `key(tokens)`, at least one.
    pub(crate) fn argument(&self) -> Option<&TokenStream> {
        match &self.value {
            Form::List(_, tokens) => Some(tokens).filter(|tokens| !tokens.is_empty()),
            Form::Assign(..) | Form::Flag => None,
        }
    }

    /// Reports a value that is not `key(tokens)`. For `key = tokens`, the error shows these tokens in parentheses.
    pub(crate) fn refuse_argument(&self, cx: &Ctxt) {
        match &self.value {
            Form::List(_, tokens) if !tokens.is_empty() => {
                cx.error_at(tokens, format_args!("expected {}", self.spec.form));
            }
            Form::Assign(_, tokens) if !tokens.is_empty() => {
                let written = tokens.to_string().replace(" :: ", "::");
                cx.error(self.value_span(), format_args!("expected `{}({written})`", self.spec.name));
            }
            _ => self.refuse(cx),
        }
    }

    /// Parses the value of `key(value)`.
    pub(crate) fn parsed_argument<T: syn::parse::Parse>(&self, cx: &Ctxt) -> Option<Spanned<T>> {
        let parsed = self.argument().and_then(|tokens| {
            let value = syn::parse2::<T>(tokens.clone()).ok()?;
            Some(Spanned::new(value, SpanRange::covering(tokens)))
        });
        if parsed.is_none() {
            self.refuse_argument(cx);
        }
        parsed
    }

    /// Reads a key without a value.
    pub(crate) fn flag(&self, cx: &Ctxt) -> Option<Span> {
        let flag = self.is_flag();
        if !flag {
            cx.error(self.value_span(), format_args!("expected `{}` without a value", self.spec.name));
        }
        flag.then(|| self.key.span())
    }

    /// Reads `key = tokens`, at least one token.
    pub(crate) fn assigned(&self, cx: &Ctxt) -> Option<&TokenStream> {
        if let Form::Assign(_, tokens) = &self.value
            && !tokens.is_empty()
        {
            return Some(tokens);
        }
        self.refuse(cx);
        None
    }

    fn parsed<T: syn::parse::Parse>(&self, cx: &Ctxt) -> Option<Spanned<T>> {
        let tokens = self.assigned(cx)?;
        if let Ok(value) = syn::parse2::<T>(tokens.clone()) {
            return Some(Spanned::new(value, SpanRange::covering(tokens)));
        }
        self.refuse(cx);
        None
    }

    /// Reads `key = "text"`.
    pub(crate) fn text(&self, cx: &Ctxt) -> Option<Spanned<String>> {
        self.parsed::<LitStr>(cx).map(|text| Spanned::new(text.value.value(), text.span))
    }

    /// Reads `key = "24h"`, in whole seconds above zero.
    pub(crate) fn duration(&self, cx: &Ctxt) -> Option<Spanned<Duration>> {
        let text = self.text(cx)?;
        let time = duration::parse(&text.value).filter(|time| time.subsec_nanos() == 0);
        if time.is_none() {
            let form = self.spec.form;
            cx.error(text.span, format_args!("expected a number with `d`, `h`, `m` or `s`, such as {form}"));
        }
        time.map(|time| Spanned::new(time, text.span))
    }

    /// Reads `key(path)`.
    pub(crate) fn path(&self, cx: &Ctxt) -> Option<Spanned<TokenStream>> {
        self.parsed_argument::<syn::Path>(cx).map(|path| Spanned::new(path.value.into_token_stream(), path.span))
    }

    /// Reads `key(path::to::function)`. The path has no quotes, so that editors follow it.
    pub(crate) fn function(&self, cx: &Ctxt) -> Option<Spanned<TokenStream>> {
        let quoted = self.argument().filter(|tokens| syn::parse2::<LitStr>((*tokens).clone()).is_ok());
        let Some(quoted) = quoted else { return self.path(cx) };
        let name = self.spec.name;
        let message = format!("expected a path without quotes: `{name}(path::to::function)`");
        cx.error(SpanRange::covering(quoted), message);
        None
    }

    /// Reads `key = true`, `key = false`, or `key` alone for `true`.
    pub(crate) fn boolean(&self, cx: &Ctxt) -> Option<bool> {
        if self.is_flag() {
            return Some(true);
        }
        self.parsed::<syn::LitBool>(cx).map(|boolean| boolean.value.value)
    }

    /// Reads `key = literal` or `key(expression)`.
    pub(crate) fn expression(&self, cx: &Ctxt) -> Option<Spanned<TokenStream>> {
        let tokens = match &self.value {
            Form::Assign(_, tokens) if is_literal(tokens) => Some(tokens),
            _ => self.argument(),
        };
        if tokens.is_none() {
            self.refuse_argument(cx);
        }
        tokens.map(|tokens| Spanned::new(tokens.clone(), SpanRange::covering(tokens)))
    }

    /// Reads `key = 7`, not negative.
    pub(crate) fn number<N>(&self, cx: &Ctxt) -> Option<Spanned<N>>
    where
        N: std::str::FromStr<Err: std::fmt::Display>,
    {
        let number = self.parsed::<syn::LitInt>(cx)?;
        if let Ok(value) = number.value.base10_parse() {
            return Some(Spanned::new(value, number.span));
        }
        if number.value.base10_digits().starts_with('-') {
            self.refuse(cx);
        } else {
            cx.error(number.span, TOO_LARGE);
        }
        None
    }

    /// Reads `key = 7`, `key = -7` or `key = 0.5`.
    pub(crate) fn numeric(&self, cx: &Ctxt) -> Option<Spanned<Literal>> {
        let expression = self.parsed::<Expr>(cx)?;
        match literal(&expression.value) {
            Some(value @ (Literal::Int(_) | Literal::Float(_))) => return Some(Spanned::new(value, expression.span)),
            None if is_integer(&expression.value) => cx.error(expression.span, TOO_LARGE),
            _ => self.refuse(cx),
        }
        None
    }

    /// Reads `key(word)`, with one of these words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)], cx: &Ctxt) -> Option<Spanned<T>> {
        let found = self.argument().and_then(|tokens| {
            let word = tokens.to_string();
            let (_, value) = choices.iter().find(|(name, _)| *name == word)?;
            Some(Spanned::new(*value, SpanRange::covering(tokens)))
        });
        match &self.value {
            _ if found.is_some() => {}
            Form::List(..) => self.refuse_argument(cx),
            Form::Assign(..) | Form::Flag => self.refuse(cx),
        }
        found
    }

    /// Reads the number in `key(word(7))`, not negative.
    pub(crate) fn call<N>(&self, word: &str, cx: &Ctxt) -> Option<Spanned<N>>
    where
        N: std::str::FromStr<Err: std::fmt::Display>,
    {
        let number = self.call_of(word).and_then(|call| {
            let mut arguments = call.args.into_iter();
            match (arguments.next(), arguments.next()) {
                (Some(Expr::Lit(syn::ExprLit { lit: Lit::Int(number), .. })), None) => Some(number),
                _ => None,
            }
        });
        let Some(number) = number else {
            self.refuse_argument(cx);
            return None;
        };
        let Ok(value) = number.base10_parse() else {
            cx.error(SpanRange::covering(number), TOO_LARGE);
            return None;
        };
        Some(Spanned::new(value, SpanRange::covering(number)))
    }

    /// The value as a call of this word, such as `word(7)`; `None` for any other value.
    pub(crate) fn call_of(&self, word: &str) -> Option<syn::ExprCall> {
        let tokens = self.argument()?;
        // syn parses a call alone only with its feature `full`.
        let Expr::Call(call) = syn::parse2(tokens.clone()).ok()? else { return None };
        matches!(&*call.func, Expr::Path(path) if path.path.is_ident(word)).then_some(call)
    }

    /// The entries of `key(…)`; empty for `key` alone.
    pub(crate) fn nested<K: AttributeKey>(&self, cx: &Ctxt) -> Option<Vec<(K, Self)>> {
        if self.is_flag() { Some(Vec::new()) } else { Some(from_tokens(self.list(cx)?.clone(), cx)) }
    }

    /// The tokens of `key(…)`.
    pub(crate) fn list(&self, cx: &Ctxt) -> Option<&TokenStream> {
        if let Form::List(_, tokens) = &self.value {
            return Some(tokens);
        }
        self.refuse(cx);
        None
    }

    /// Whether nothing follows the key.
    pub(crate) const fn is_flag(&self) -> bool {
        matches!(self.value, Form::Flag)
    }

    /// Reads the names in `key(a, b)`, at least one.
    pub(crate) fn names(&self, cx: &Ctxt) -> Option<Vec<Ident>> {
        let tokens = self.list(cx)?;
        if tokens.is_empty() {
            self.refuse(cx);
            return None;
        }
        Some(separated(tokens.clone(), cx, |input| {
            input.call(Ident::parse_any).map_err(|error| self.malformed(&error))
        }))
    }

    /// Reads the literals in `key("a", 2)`, at least one.
    pub(crate) fn literals(&self, cx: &Ctxt) -> Option<Vec<Spanned<Literal>>> {
        let tokens = self.list(cx)?;
        if tokens.is_empty() {
            self.refuse(cx);
            return None;
        }
        Some(separated(tokens.clone(), cx, |input| {
            let expression: Expr = input.parse().map_err(|error| self.malformed(&error))?;
            let span = SpanRange::covering(&expression);
            literal(&expression)
                .map(|value| Spanned::new(value, span))
                .ok_or_else(|| self.malformed(&syn::Error::new_spanned(&expression, "")))
        }))
    }

    /// The error of an item of this entry's list, at the span of a parser's error.
    pub(crate) fn malformed(&self, error: &syn::Error) -> syn::Error {
        syn::Error::new(error.span(), format_args!("expected {}", self.spec.form))
    }
}

const TOO_LARGE: &str = "this number is too large";

fn is_integer(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Expr::Unary(unary) => is_integer(&unary.expr),
        _ => false,
    }
}

/// Whether tokens are a literal; a number may have a sign.
pub(crate) fn is_literal(tokens: &TokenStream) -> bool {
    match syn::parse2(tokens.clone()) {
        Ok(Expr::Lit(_)) => true,
        Ok(Expr::Unary(unary)) => matches!((unary.op, &*unary.expr), (UnOp::Neg(_), Expr::Lit(_))),
        _ => false,
    }
}

/// The number or text that tokens are; none where they are another expression.
pub(crate) fn literal_of(tokens: &TokenStream) -> Option<Literal> {
    literal(&syn::parse2(tokens.clone()).ok()?)
}

fn literal(expression: &Expr) -> Option<Literal> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse().ok().map(Literal::Int),
            Lit::Float(float) => float.base10_parse().ok().map(Literal::Float),
            Lit::Str(text) => Some(Literal::Text(text.value())),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match &*unary.expr {
            // Parsed with its sign: the smallest integer has no positive counterpart.
            Expr::Lit(number) => match &number.lit {
                Lit::Int(int) => format!("-{}", int.base10_digits()).parse().ok().map(Literal::Int),
                Lit::Float(float) => float.base10_parse::<f64>().ok().map(|value| Literal::Float(-value)),
                _ => None,
            },
            _ => None,
        },
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}
