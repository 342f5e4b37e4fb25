//! Proofs of the examples, and of services with faults.

mod examples;
mod fixture;
mod layers;
mod sources;
