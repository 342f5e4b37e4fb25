//! A smaller plan that fails too.

use crud_tests::Api;

use crate::histories::plan::{Plan, Step};
use crate::histories::run;

/// Number of runs of a smaller plan before it counts as one that does not fail: whether it does may depend on timing.
const ATTEMPTS: usize = 8;

/// Makes a plan that failed smaller for as long as it fails, and says how it does.
pub(crate) async fn report(api: &Api, plan: Plan, fault: String) -> String {
    let from = plan.len();
    let (mut plan, mut fault) = (plan, fault);
    while let Some((smaller, how)) = smaller(api, &plan).await {
        (plan, fault) = (smaller, how);
    }
    let clients: Vec<String> =
        plan.clients.iter().enumerate().map(|(client, steps)| format!("  client {client}: {steps:?}")).collect();
    format!("of {from} requests, these {} fail:\n{}\n{fault}", plan.len(), clients.join("\n"))
}

/// The first smaller plan that fails: without a client, or without a request, or with a simpler request.
async fn smaller(api: &Api, plan: &Plan) -> Option<(Plan, String)> {
    for candidate in candidates(plan) {
        for _ in 0..ATTEMPTS {
            if let Err(fault) = run::fault(api, &candidate).await {
                return Some((candidate, fault));
            }
        }
    }
    None
}

fn candidates(plan: &Plan) -> Vec<Plan> {
    let mut candidates = Vec::new();
    for client in 0..plan.clients.len() {
        let mut without = plan.clone();
        without.clients.remove(client);
        candidates.push(without);
    }
    for client in 0..plan.clients.len() {
        // The second half first: most of it is after the fault.
        let half = plan.clients[client].len() / 2;
        if half > 0 {
            let mut shorter = plan.clone();
            shorter.clients[client].truncate(half);
            candidates.push(shorter);
        }
        for index in (0..plan.clients[client].len()).rev() {
            let mut without = plan.clone();
            without.clients[client].remove(index);
            candidates.push(without);
            let step = &plan.clients[client][index];
            for (conditional, repeated) in [(false, step.repeated), (step.conditional, false)] {
                if (conditional, repeated) != (step.conditional, step.repeated) {
                    let mut simpler = plan.clone();
                    simpler.clients[client][index] = Step { ask: step.ask.clone(), conditional, repeated };
                    candidates.push(simpler);
                }
            }
        }
    }
    candidates.retain(|candidate| candidate.len() > 0);
    candidates
}
