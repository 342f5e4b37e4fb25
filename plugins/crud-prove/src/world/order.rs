//! The order in which resources get their records: those that others refer to come first.

use super::served::{Served, position};

/// The positions of resources with a table, so that referenced resources come before those that refer to them.
pub(super) fn referred_first(served: &[Served]) -> Vec<usize> {
    let mut order = Vec::new();
    for resource in 0..served.len() {
        visit(served, resource, &mut Vec::new(), &mut order);
    }
    order.retain(|resource| served[*resource].descriptor.view.is_none());
    order
}

fn visit(served: &[Served], resource: usize, path: &mut Vec<usize>, order: &mut Vec<usize>) {
    if order.contains(&resource) || path.contains(&resource) {
        return;
    }
    path.push(resource);
    let references = served[resource].descriptor.columns.iter().filter_map(|column| column.references);
    for target in references.filter_map(|reference| position(served, (reference.target)())) {
        visit(served, target, path, order);
    }
    path.pop();
    order.push(resource);
}
