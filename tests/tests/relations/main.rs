//! Relations on the back ends with SQL: orders by fields of other records, child records, and the same from the program's
//! own code.
//!
//! | Promise | Module |
//! |---|---|
//! | Lists are in the order of a field of the record that a field refers to, page by page | `sorts` |
//! | An order tells nothing of records, fields and resources that the caller does not reach | `sort_attacks` |
//! | Records with those that refer to them: conditions on one of them, the first of them beside each | `children` |
//! | Both tell nothing of records, fields and resources that the caller does not reach | `child_attacks` |
//! | Linked records: the set of a record, one link, conditions, `expand`, the log | `links` |
//! | The same of records whose keys have several fields, on one side or on both | `links_of_several_fields` |
//! | Links tell and change nothing of records and links that the caller does not reach | `link_attacks` |
//! | Records that refer to one are written in its body | `nested` |
//! | Bodies write nothing that the caller could not write by itself | `nested_attacks` |
//! | Records that need a key need it in requests for others too | `required_keys` |
//! | A page of the shop's orders has all that a screen shows | `screen` |
//! | A reference to a record whose key has several fields | `several_fields` |
//! | A list is one query, and one for each path of `expand` | `statements` |
//! | The same in the program's own queries | `stores` |
//! | What is wrong with a file of many records does not hold up other writers | `imports` |
//! | What no service starts with | `start` |
//! | The resources and callers of these tests | `library`, `caller` |
#![allow(missing_docs)] // helpers of a test binary
#![allow(clippy::unused_async, reason = "a hook is async, whether it waits for something or not")]
#![allow(clippy::struct_field_names, reason = "a junction has keys alone")]

mod caller;
mod child_attacks;
mod children;
mod imports;
mod library;
mod link_attacks;
mod links;
mod links_of_several_fields;
mod nested;
mod nested_attacks;
mod required_keys;
mod screen;
mod several_fields;
mod sort_attacks;
mod sorts;
mod start;
mod statements;
mod stores;
