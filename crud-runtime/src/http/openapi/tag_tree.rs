//! The order of tags: a resource that another one has as children is below it.

use std::collections::BTreeMap;

use utoipa::openapi::OpenApi;

use crate::http::description::documented_resource::DocumentedResource;

/// The kind of tags that group operations, in the registry of OpenAPI.
const NAVIGATION: &str = "nav";

/// Parents of tags, by the tags' names.
type Parents<'a> = BTreeMap<&'a str, &'a str>;

/// States the parents of a document's tags.
pub(super) fn order(document: &mut OpenApi, resources: &[DocumentedResource<'_>]) {
    let parents = parents(resources);
    for tag in document.tags.iter_mut().flatten() {
        tag.parent = parents.get(tag.name.as_str()).map(|parent| (*parent).to_owned());
        tag.kind = Some(NAVIGATION.to_owned());
    }
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
