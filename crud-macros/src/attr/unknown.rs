//! The error of an unknown key: where it belongs, or the key that was most likely meant.

use crud_shared::spelling;

use crate::key::{AttributePlace, PLACES, Spec};

/// Length of words that are too short to be compared with a key: one slip makes another word of them.
const SHORT: usize = 4;

/// The text of the error.
pub(super) fn message(name: &str, place: &AttributePlace) -> String {
    let near = || near(name, place).map(|form| format!("unknown attribute `{name}`: did you mean {form}?"));
    misplaced(name, place).or_else(near).unwrap_or_else(|| {
        let names = place.keys.iter().map(|spec| spec.name);
        format!("unknown attribute `{name}`: expected {}", spelling::alternatives(names))
    })
}

/// Whether the field's type may define an unknown key: the key belongs to no other place, and is no misspelling of a
/// key of this one.
pub(super) fn may_be_of_type(name: &str, place: &AttributePlace) -> bool {
    misplaced(name, place).is_none() && !place.keys.iter().any(|spec| spelling::is_slip(name, spec.name))
}

/// The error of a key of another place.
fn misplaced(name: &str, place: &AttributePlace) -> Option<String> {
    let belongs = |place: &str, spec: &Spec| format!("`{name}` belongs {place}: write it there as {}", spec.form);
    if let Some((outer, spec)) = nested(place.keys).find(|(_, spec)| spec.name == name) {
        return Some(belongs(&format!("in `{outer}(…)`"), spec));
    }
    let (keys, other) = place.elsewhere?;
    if let Some(spec) = keys.iter().find(|spec| spec.name == name) {
        return Some(belongs(&format!("on {other}"), spec));
    }
    let (outer, spec) = nested(keys).find(|(_, spec)| spec.name == name)?;
    Some(belongs(&format!("in `{outer}(…)` on {other}"), spec))
}

/// The form of the nearest key: a key of the place, a key in the parentheses of one, or a key that is a word of the
/// name, as `length` is of `min_length`.
fn near(name: &str, place: &AttributePlace) -> Option<String> {
    let by_name = |name: &str| place.keys.iter().find(|spec| spec.name == name).map(|spec| spec.form.to_owned());
    if let Some(near) = spelling::nearest(name, place.keys.iter().map(|spec| spec.name)) {
        return by_name(near);
    }
    if let Some(near) = spelling::nearest(name, nested(place.keys).map(|(_, spec)| spec.name)) {
        let (outer, spec) = nested(place.keys).find(|(_, spec)| spec.name == near)?;
        return Some(format!("{} in `{outer}(…)`", spec.form));
    }
    name.split('_').find_map(|word| {
        let is_meant = |spec: &&Spec| word == spec.name || word.len() > SHORT && spelling::is_slip(word, spec.name);
        place.keys.iter().find(is_meant).and_then(|spec| by_name(spec.name))
    })
}

/// The keys in the parentheses of these keys, each with the name of the outer key.
fn nested(keys: &'static [Spec]) -> impl Iterator<Item = (&'static str, &'static Spec)> {
    let takes_keys = |outer: &&Spec| outer.form.contains(&format!("`{}(", outer.name));
    keys.iter().filter(takes_keys).flat_map(|outer| {
        let inside = PLACES.iter().filter(|place| place.completion.is_some_and(|(module, _)| module == outer.name));
        inside.flat_map(|place| place.keys).map(|spec| (outer.name, spec))
    })
}
