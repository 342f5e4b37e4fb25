//! `transitions`: the graph of a state.

use std::collections::BTreeSet;

use crud_shared::operation::{SEGMENTS, WORDS};
use proc_macro2::{Ident, TokenTree};

use super::types::Requirements;
use crate::attr::name;
use crate::attr::transition::{Transition, Transitions};
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Field, Requirement};

/// Further names that are segments of operations' paths, or will be.
const RESERVED: [&str; 4] = ["patch", "permanent", "aggregate", "events"];

/// Checks the transitions of every field.
pub(super) fn check(requirements: &mut Requirements<'_, '_>) {
    let (fields, cx) = (requirements.fields, requirements.cx);
    let mut names: Vec<String> = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let Some(transitions) = &field.transitions else { continue };
        for transition in &transitions.list {
            check_name(&transition.name, &mut names, cx);
        }
        check_pairs(&transitions.list, cx);
        check_field(field, transitions, cx);
        let message = "`transitions` need an enum that derives `ResourceEnum`, without `other`".to_owned();
        requirements.require(index, Requirement::Enum, SpanRange::covering(field.ty.written), message);
        check_initial(transitions, cx);
        let states = initial(field, cx).and_then(|initial| reachable(&initial, transitions, cx));
        if let Some(states) = states.filter(|_| field.ty.known.is_none()) {
            let message =
                "no transition leads to a variant of this enum: name each in `transitions`, or remove it".to_owned();
            let span = SpanRange::covering(field.ty.written);
            requirements.require(index, Requirement::States(states), span, message);
        }
    }
}

fn check_name(ident: &Ident, names: &mut Vec<String>, cx: &Ctxt) {
    let name = name(ident);
    let mut reserved = WORDS.iter().map(|word| word.name).chain(SEGMENTS).chain(RESERVED);
    if reserved.any(|reserved| reserved == name) {
        cx.error(ident.span(), format_args!("`{name}` is the name of an operation or a route: choose another"));
    } else if names.contains(&name) {
        cx.error(ident.span(), format_args!("a resource can have one transition `{name}`: choose another name"));
    } else {
        names.push(name);
    }
}

/// Refuses a pair of states that two transitions connect: neither route nor body would say which one is meant.
fn check_pairs(list: &[Transition], cx: &Ctxt) {
    let mut pairs: Vec<(&Transition, &Ident)> = Vec::new();
    for transition in list {
        for from in &transition.from {
            let (start, end) = (name(from), name(&transition.to));
            let other = pairs.iter().find(|(other, state)| **state == *from && other.to == transition.to);
            if start == end {
                cx.error(from.span(), format_args!("a transition leads to another state: remove `{start}`"));
            } else if let Some((other, _)) = other {
                let other = name(&other.name);
                let message = format!("`{other}` leads from `{start}` to `{end}` already: remove one");
                cx.error(from.span(), message);
            } else {
                pairs.push((transition, from));
            }
        }
    }
}

/// Refuses an initial state that is listed twice.
fn check_initial(transitions: &Transitions, cx: &Ctxt) {
    let mut listed: Vec<String> = Vec::new();
    for state in &transitions.initial {
        let name = name(state);
        if listed.contains(&name) {
            cx.error(state.span(), format_args!("`initial` lists `{name}` twice: remove one"));
        }
        listed.push(name);
    }
}

fn check_field(field: &Field<'_>, transitions: &Transitions, cx: &Ctxt) {
    if field.ty.optional {
        cx.error_at(field.ty.written, "a field with `transitions` is always in a state: remove `Option`");
    }
    if let Some(span) = field.exposure.immutable {
        cx.error(span, "a field with `transitions` changes: remove `immutable`");
    }
    if field.default.is_none() {
        cx.error(transitions.key, "`transitions` need an initial state: add `default(…)` with a variant");
    }
}

/// The variant that is the default.
fn initial(field: &Field<'_>, cx: &Ctxt) -> Option<String> {
    let default = field.default.as_ref()?;
    let variant = syn::parse2::<syn::Path>(default.value.clone()).ok().filter(|path| path.segments.len() > 1);
    let Some(segment) = variant.as_ref().and_then(|path| path.segments.last()) else {
        let ty = &field.ty.inner;
        let ty = quote::quote!(#ty);
        let message = format!("the initial state is a variant: expected `default({ty}::…)`");
        // A literal of another type is the compiler's to report.
        let is_literal = matches!(default.value.clone().into_iter().next(), Some(TokenTree::Literal(_)));
        if !is_literal || field.ty.known.is_none() {
            cx.error(default.span, message);
        }
        return None;
    };
    Some(name(&segment.ident))
}

/// The number of states that can be reached. A named state that cannot be reached is reported.
fn reachable(initial: &str, transitions: &Transitions, cx: &Ctxt) -> Option<usize> {
    let list = &transitions.list;
    let mut reached = vec![initial.to_owned()];
    let others = transitions.initial.iter().map(name).filter(|state| state != initial);
    reached.extend(others.collect::<BTreeSet<_>>());
    loop {
        let next = list.iter().find(|transition| {
            let starts = transition.from.iter().any(|from| reached.contains(&name(from)));
            starts && !reached.contains(&name(&transition.to))
        });
        match next {
            Some(transition) => reached.push(name(&transition.to)),
            None => break,
        }
    }
    let mut reported: Vec<String> = Vec::new();
    for state in list.iter().flat_map(|transition| transition.from.iter().chain([&transition.to])) {
        let unreached = name(state);
        if !reached.contains(&unreached) && !reported.contains(&unreached) {
            let message = format!("no transitions lead from `{initial}` to `{unreached}`: add one, or remove it");
            cx.error(state.span(), message);
            reported.push(unreached);
        }
    }
    reported.is_empty().then_some(reached.len())
}
