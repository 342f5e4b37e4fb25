//! The presentation in pages for people: the title of a record, and the columns of a list.

use super::lookup::{Lookup, Named};
use crate::attr::admin::AdminAttribute;
use crate::ctxt::Ctxt;
use crate::model::{Field, Presentation};

/// The fields that an attribute names.
#[derive(Debug, Default)]
pub(super) struct NamedPresentation {
    title: Option<Named>,
    list: Vec<Named>,
}

/// The fields that an attribute names.
pub(super) fn named(attribute: Option<&AdminAttribute>, lookup: &Lookup<'_>) -> NamedPresentation {
    attribute.map_or_else(NamedPresentation::default, |attribute| NamedPresentation {
        title: attribute.title.as_ref().and_then(|title| lookup.find(title)),
        list: lookup.find_all(&attribute.list, "list"),
    })
}

/// Checks that clients see the fields of the presentation, and returns the presentation.
pub(super) fn option(
    attribute: Option<&AdminAttribute>,
    named: &NamedPresentation,
    fields: &[Field<'_>],
    cx: &Ctxt,
) -> Option<Presentation> {
    let attribute = attribute?;
    for (named, key) in named.title.iter().map(|it| (it, "title")).chain(named.list.iter().map(|it| (it, "list"))) {
        let field = &fields[named.index];
        if let Some((span, (_, concealed))) = named.span.zip(field.exposure.concealed()) {
            let name = &field.name;
            cx.error(span, format_args!("`{name}` is `{concealed}`, so no page has it: remove it from `{key}(…)`"));
        }
    }
    if let Some(group) = &attribute.group {
        if group.value.trim().is_empty() {
            cx.error(group.span, "expected a heading, such as `group = \"Catalogue\"`");
        } else if attribute.hide.is_some() {
            cx.error(group.span, "a resource with `hide` is under no heading: remove one");
        }
    }
    Some(Presentation {
        title: named.title.map(|title| title.index),
        list: named.list.iter().map(|named| named.index).collect(),
        group: attribute.group.as_ref().map(|group| group.value.clone()),
        hidden: attribute.hide.is_some(),
        read_only: attribute.read_only,
    })
}
