//! The order of tags: a resource that another one has as children is below it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::writer::{filled, members};
use crate::http::description::documented_resource::DocumentedResource;

/// The kind of tags that group operations, in the registry of OpenAPI.
const NAVIGATION: &str = "nav";

/// Parents of tags, by the tags' names.
type Parents<'a> = BTreeMap<&'a str, &'a str>;

/// A tag of the document.
pub(crate) struct Tag {
    name: String,
    description: String,
    parent: Option<String>,
}

impl Tag {
    pub(crate) fn written(&self) -> Value {
        members([
            ("name", Some(self.name.as_str().into())),
            ("description", filled(&self.description)),
            ("parent", self.parent.as_deref().map(Value::from)),
            ("kind", Some(NAVIGATION.into())),
        ])
    }
}

/// The tags of these names and descriptions, with their parents.
pub(super) fn of(tags: Vec<(String, String)>, resources: &[DocumentedResource<'_>]) -> Vec<Tag> {
    let parents = parents(resources);
    let tag = |(name, description): (String, String)| {
        let parent = parents.get(name.as_str()).map(|parent| (*parent).to_owned());
        Tag { name, description, parent }
    };
    tags.into_iter().map(tag).collect()
}

/// The parents of tags whose resources are the children of one other resource.
fn parents<'a>(resources: &'a [DocumentedResource<'_>]) -> Parents<'a> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for DocumentedResource { options, .. } in resources {
        let Some(parent) = options.tags.first() else { continue };
        for children in options.descriptor.children {
            let is_child = |of: &&DocumentedResource<'_>| std::ptr::eq(of.options.descriptor, (children.resource)());
            for tag in resources.iter().find(is_child).into_iter().flat_map(|of| &of.options.tags) {
                let known = found.entry(tag).or_default();
                if tag != parent && !known.contains(&parent.as_str()) {
                    known.push(parent);
                }
            }
        }
    }
    let one = found.into_iter().filter_map(|(tag, parents)| match *parents {
        [parent] => Some((tag, parent)),
        _ => None,
    });
    without_circles(&one.collect())
}

/// The parents without those that lead back to their own tag.
fn without_circles<'a>(parents: &Parents<'a>) -> Parents<'a> {
    let is_circular = |tag: &str| {
        let ancestors = std::iter::successors(parents.get(tag), |parent| parents.get(**parent));
        ancestors.take(parents.len()).any(|ancestor| *ancestor == tag)
    };
    parents.iter().filter(|(tag, _)| !is_circular(tag)).map(|(tag, parent)| (*tag, *parent)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circular_parents_are_left_out() {
        let kept = without_circles(&[("a", "b"), ("b", "a"), ("c", "a"), ("d", "c")].into());
        assert_eq!(kept.into_keys().collect::<Vec<_>>(), ["c", "d"]);
    }
}
