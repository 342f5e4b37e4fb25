//! Files of records, on every back end: in a directory, and with `CRUD_TEST_FILES=s3` in a bucket.

mod access;
mod backup;
mod bucket;
mod changes;
mod contract;
mod document;
mod downloads;
mod failing_store;
mod killed;
mod large;
mod links;
mod marker;
mod process;
mod races;
mod resumable;
mod shop;
mod start;
mod sweep;
mod transfers;
mod types;
