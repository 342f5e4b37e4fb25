//! The document describes each operation of every resource of the kitchen sink.

use std::collections::{BTreeMap, BTreeSet};

use crud_tests::http::on_kitchen;
use crud_tests::on_kitchen_with_transactions;
use crud_tests::openapi::inlined;
use serde_json::{Map, Value, json};

/// A resource: its prefix, the name of its schema, and what it has beside a plain one's operations and parameters.
type Resource = (&'static str, &'static str, &'static [&'static str]);

/// Every resource of the kitchen sink. `pages`: a list has pages; `filter`: it
/// can be filtered by; `text`: it can be searched; `upsert`, `create-by-put`: a create can change a record, and an update
/// create one; `soft`: deleted records stay and can be shown;
/// `undelete`: they can be restored and purged; `atomic` and `partial`: batches; `log`: what a record was;
/// `history`: its entries; `cursors`: its pages have them; `unique`, `unique-active`: values that one record alone has, or
/// one active record; `refers`, `kept`: to other records, and because of other records; `states`: they change by transitions; `no-update`, `no-delete`: operations that it lacks.
const RESOURCES: [Resource; 38] = [
    ("/dense", "Dense", &["export", "import", "filter", "pages", "sort"]),
    ("/sparse", "Sparse", &["export", "import", "filter", "pages", "sort"]),
    ("/checked", "Checked", &["unique"]),
    ("/accounts", "Account", &["filter", "pages", "sort"]),
    ("/fixed", "Fixed", &["no-update", "no-delete"]),
    ("/tags", "Tag", &["filter", "pages", "sort", "unique", "kept"]),
    ("/devices", "Device", &["filter", "pages", "sort"]),
    ("/counters", "Counter", &["pages", "sort"]),
    ("/tickets", "Ticket", &["filter", "pages", "sort", "unique"]),
    ("/posts", "Post", &["pages", "refers", "kept"]),
    ("/comments", "Comment", &["pages", "refers"]),
    ("/attachments", "Attachment", &["pages", "refers"]),
    ("/readers", "Reader", &["pages", "refers"]),
    ("/bare", "Bare", &[]),
    ("/entries", "Entry", &["filter", "sort"]),
    ("/v1/clamped", "Clamped", &["pages"]),
    ("/steps", "Step", &["filter", "pages", "sort", "soft", "undelete", "cursors"]),
    (
        "/essays",
        "Essay",
        &["filter", "text", "export", "import", "pages", "sort", "soft", "undelete", "log", "history", "cursors"],
    ),
    ("/poems", "Poem", &["text"]),
    ("/scrolls", "Scroll", &["filter", "pages"]),
    ("/articles", "Article", &["import", "soft", "undelete", "atomic", "log", "history", "upsert", "unique"]),
    ("/labels", "Label", &["import", "log", "history", "upsert", "create-by-put", "unique"]),
    ("/notes", "Note", &["filter", "pages", "sort", "soft", "undelete"]),
    ("/drafts", "Draft", &["filter", "sort", "soft", "undelete", "log", "history", "unique"]),
    ("/kept", "Kept", &["pages", "soft"]),
    ("/teams", "Team", &["filter", "pages", "soft", "undelete", "unique", "refers", "kept"]),
    (
        "/members",
        "Member",
        &[
            "filter",
            "pages",
            "sort",
            "soft",
            "undelete",
            "atomic",
            "log",
            "history",
            "unique",
            "refers",
            "unique-active",
        ],
    ),
    ("/badges", "Badge", &["pages", "refers"]),
    ("/fans", "Fan", &["pages", "refers"]),
    ("/parcels", "Parcel", &["filter", "pages", "sort", "atomic", "log", "history", "unique", "refers", "kept"]),
    ("/stamps", "Stamp", &["pages", "refers"]),
    (
        "/slips",
        "Slip",
        &["filter", "pages", "sort", "soft", "undelete", "partial", "log", "history", "unique", "refers"],
    ),
    ("/trays", "Tray", &["pages", "atomic", "unique"]),
    ("/coupons", "Coupon", &["pages", "partial", "no-update"]),
    ("/ledgers", "Ledger", &["filter", "pages", "sort", "soft", "undelete", "atomic", "log", "history"]),
    ("/quiet", "Quiet", &["pages", "log", "history"]),
    ("/anonymous", "Anonymous", &["pages", "log", "unique"]),
    ("/timeless", "Timeless", &["pages", "log", "history"]),
];

/// The problems of any operation of a resource.
const ALWAYS: [&str; 6] =
    ["query_too_long", "query_too_complex", "validation_failed", "internal", "unavailable", "timeout"];

/// The problems of an operation that reads a body.
const BODY: [&str; 4] = ["malformed_json", "request_timeout", "body_too_large", "unsupported_media_type"];

/// An operation: its method and path below the prefix, the statuses of its successes, the codes of its problems, the
/// parameters that all resources have in common, its body and what 2xx returns. `*` stands for the resource's name.
struct Operation {
    method: &'static str,
    path: &'static str,
    successes: Vec<u16>,
    codes: Vec<&'static str>,
    parameters: &'static [&'static str],
    body: Option<&'static str>,
    returned: &'static str,
}

impl Operation {
    fn new(method: &'static str, path: &'static str, successes: &[u16], returned: &'static str) -> Self {
        let successes = successes.to_vec();
        Self { method, path, successes, codes: ALWAYS.to_vec(), parameters: &[], body: None, returned }
    }

    fn codes(mut self, codes: impl IntoIterator<Item = &'static str>) -> Self {
        self.codes.extend(codes);
        self
    }

    fn parameters(self, parameters: &'static [&'static str]) -> Self {
        Self { parameters, ..self }
    }

    fn body(mut self, body: &'static str) -> Self {
        self.codes.extend(BODY);
        Self { body: Some(body), ..self }
    }
}

/// The operations that a resource offers.
fn operations(has: impl Fn(&str) -> bool) -> Vec<Operation> {
    // The codes of what a resource has.
    let of = |codes: &[(&str, &'static str)]| -> Vec<&'static str> {
        codes.iter().filter(|(what, _)| has(what)).map(|(_, code)| *code).collect()
    };
    let returned = if has("pages") { "*List" } else { "[*]" };
    let change = &["IfMatch", "PreferChange"];
    let of_list = of(&[("cursors", "cursor_invalid")]);
    let of_new = of(&[("unique", "conflict"), ("refers", "reference_not_found")]);
    let of_stored = [&of_new[..], &of(&[("states", "illegal_transition")])].concat();
    let of_removed = of(&[("kept", "referenced")]);
    let of_restored = of(&[("unique-active", "conflict")]);
    let create = if has("upsert") {
        Operation::new("post", "", &[200, 201, 204], "*").codes(of_stored.clone()).codes(["precondition_failed"])
    } else {
        Operation::new("post", "", &[201], "*").codes(of_new.clone())
    };
    let mut all = vec![
        Operation::new("get", "", &[200], returned).codes(of_list.clone()).parameters(&["PreferList"]),
        create.codes(["constraint_failed"]).parameters(&["PreferChange"]).body("*Create"),
        // The log may lack a record's former values.
        Operation::new("get", "/{id}", &[200, 304], "*")
            .codes(["not_found"])
            .codes(of(&[("log", "history_incomplete")]))
            .parameters(&["IfNoneMatch"]),
    ];
    if has("filter") || has("text") {
        let search = Operation::new("post", "/search", &[200], returned).codes(of_list.clone());
        all.push(search.parameters(&["PreferList"]).body("*Search"));
    }
    if has("export") {
        all.push(Operation::new("get", "/export", &[200], "").codes(of_list));
    }
    if has("import") {
        let import = Operation::new("post", "/import", &[200, 207], "ImportResult").body("{file}");
        let codes = if has("upsert") { of_stored.clone() } else { of_new.clone() };
        all.push(import.codes(codes).codes(["constraint_failed", "batch_too_large"]));
    }
    if !has("no-update") {
        let update = |method, successes: &[u16]| {
            let codes = ["not_found", "precondition_failed", "constraint_failed"];
            let update = Operation::new(method, "/{id}", successes, "*").codes(of_stored.clone()).codes(codes);
            update.parameters(change).body("*Patch")
        };
        let put: &[u16] = if has("create-by-put") { &[200, 201, 204] } else { &[200, 204] };
        all.extend([update("put", put), update("patch", &[200, 204])]);
    }
    if !has("no-delete") {
        let delete = Operation::new("delete", "/{id}", &[200, 204], "*").codes(["not_found", "precondition_failed"]);
        // A record that stays keeps what refers to it.
        let delete = if has("soft") { delete } else { delete.codes(of_removed.clone()) };
        all.push(delete.parameters(change));
    }
    if has("undelete") {
        let of_ids = ["not_found", "not_deleted", "batch_too_large"];
        all.extend([
            Operation::new("post", "/restore", &[200], "RestoredCount")
                .codes(of_ids)
                .codes(of_restored.clone())
                .body("{ids}"),
            Operation::new("delete", "/deleted", &[200], "PurgedCount").codes(of_removed.clone()),
            Operation::new("post", "/{id}/restore", &[200, 204], "*")
                .codes(["not_found", "not_deleted"])
                .codes(of_restored)
                .parameters(&["PreferChange"]),
            Operation::new("delete", "/{id}/permanent", &[200, 204], "*")
                .codes(["not_found", "not_deleted", "precondition_failed"])
                .codes(of_removed.clone())
                .parameters(change),
        ]);
    }
    if has("atomic") || has("partial") {
        // A partial batch reports for each item what an atomic one answers.
        let batch = |method, path, codes: &[&[&'static str]], body, returned| {
            let successes: &[u16] = if has("partial") { &[200, 207] } else { &[200] };
            let of_items = if has("partial") { Vec::new() } else { codes.concat() };
            Operation::new(method, path, successes, returned).codes(["batch_too_large"]).codes(of_items).body(body)
        };
        let created: &[&[_]] = &[&of_new, &["constraint_failed"]];
        all.push(batch("post", "/batch", created, "*BatchCreate", "*BatchCreated"));
        if !has("no-update") {
            let updated: &[&[_]] = &[&of_stored, &["constraint_failed", "not_found"]];
            all.push(batch("put", "/batch", updated, "*BatchUpdate", "*BatchUpdated"));
        }
        let removed: &[_] = if has("soft") { &[] } else { &of_removed };
        let deleted: &[&[_]] = &[removed, &["not_found"]];
        all.push(batch("delete", "/batch", deleted, "*BatchDelete", "*BatchDeleted"));
        all.push(batch("post", "/batch/delete", deleted, "*BatchDelete", "*BatchDeleted"));
    }
    if has("history") {
        all.push(Operation::new("get", "/{id}/history", &[200], "AuditLogList").codes(["not_found"]));
    }
    all
}

/// Checks each operation of each resource, with the document's own.
fn for_each(document: &Value, check: impl Fn(&str, &Resource, &Operation, &Value)) {
    for resource in &RESOURCES {
        for operation in operations(|what| resource.2.contains(&what)) {
            let path = format!("{}{}", resource.0, operation.path);
            let found = &document["paths"][&path][operation.method];
            check(&format!("{} {path}", operation.method), resource, &operation, found);
        }
    }
}

fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// The names of an operation's parameters; for one that the document has once, that of its component without the kind of its
/// values: `price__gt` of `price__gt.Double`.
fn parameters(operation: &Value) -> BTreeSet<&str> {
    let list = operation["parameters"].as_array().into_iter().flatten();
    let names = list.filter_map(|parameter| parameter.get("name").or_else(|| parameter.get("$ref"))?.as_str());
    let names = names.map(|name| name.rsplit('/').next().unwrap_or(name));
    names.map(|name| name.rsplit_once('.').map_or(name, |(name, _)| name)).collect()
}

#[test]
fn each_resource_has_the_operations_of_its_attributes_and_no_others() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let mut expected: BTreeSet<String> = BTreeSet::new();
        for (prefix, _, has) in RESOURCES {
            let paths = operations(|what| has.contains(&what)).into_iter();
            expected.extend(paths.map(|operation| format!("{} {prefix}{}", operation.method, operation.path)));
        }
        let service = ["/", "/audit-logs", "/docs", "/health", "/openapi.json", "/ready"];
        expected.extend(service.map(|path| format!("get {path}")));
        let mut found = BTreeSet::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            let methods = item.as_object().expect("operations").keys().filter(|key| *key != "parameters");
            found.extend(methods.map(|method| format!("{method} {path}")));
        }
        assert_eq!(found.difference(&expected).collect::<Vec<_>>(), [""; 0], "not expected");
        assert_eq!(expected.difference(&found).collect::<Vec<_>>(), [""; 0], "missing");
    });
}

/// The statuses of an operation's successes, and the codes of its problems.
fn answers<'a>(document: &'a Value, operation: &'a Value) -> (BTreeSet<String>, BTreeSet<&'a str>) {
    let responses = operation["responses"].as_object().expect("responses");
    let successes = responses.keys().filter(|status| status.as_str() < "4").cloned().collect();
    let mut examples = BTreeSet::new();
    // The only code of a status, and any failure of the service, need no statement.
    let mut codes: BTreeSet<&str> =
        operation["x-problems"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (status, response) in responses {
        let shared = response["$ref"].as_str().and_then(|name| document.pointer(&name[1..]));
        let problems = shared.and_then(|found| found["content"]["application/problem+json"]["examples"].as_object());
        let found: Vec<&str> = problems.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        if status == "5XX" || found.len() == 1 {
            codes.extend(&found);
        }
        examples.extend(found);
    }
    assert!(codes.is_subset(&examples), "each has an example: {codes:?}");
    (successes, codes)
}

#[test]
fn each_operation_lists_what_it_may_answer_and_nothing_else() {
    on_kitchen_with_transactions(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for_each(&document, |name, _, operation, found| {
            let (successes, codes) = answers(&document, found);
            assert_eq!(successes, operation.successes.iter().map(u16::to_string).collect(), "{name}");
            // A `test` of a JSON Patch may fail.
            let of_patch = (operation.method == "patch").then_some("conflict");
            assert_eq!(codes, operation.codes.iter().copied().chain(of_patch).collect(), "{name}");
        });
    });
}

#[test]
fn each_operation_says_whether_it_needs_a_token() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for_each(&document, |name, _, _, found| assert_eq!(found["security"], json!([]), "{name}"));
        for path in ["/", "/health", "/docs"] {
            assert_eq!(document["paths"][path]["get"]["security"], json!([]), "{path}");
        }
    });
}

#[test]
fn a_new_record_links_to_what_can_be_done_with_it() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let links = |path: &str| document["paths"][path]["post"]["responses"]["201"]["links"].clone();
        let update = &links("/parcels")["update"];
        assert_eq!(update["operationId"], "updateParcel");
        assert_eq!(update["parameters"], json!({ "id": "$response.body#/id" }));
        assert_eq!(links("/fixed").as_object().expect("links").keys().collect::<Vec<_>>(), ["get"]);
        assert_eq!(links("/trays")["delete"]["parameters"]["id"], "$response.body#/trayCode");
    });
}

#[test]
fn each_success_names_its_schema_and_carries_the_request_id() {
    on_kitchen(async |kitchen| {
        let document = inlined(&kitchen.get("/openapi.json").await.ok());
        for_each(&document, |name, resource, operation, found| {
            let returned = operation.returned.replace('*', resource.1);
            if operation.path == "/export" {
                return assert!(found["responses"]["200"]["content"]["text/csv"].is_object(), "{name}");
            }
            let schema = match returned.strip_prefix('[') {
                Some(items) => json!({ "type": "array", "items": reference("schemas", items.trim_end_matches(']')) }),
                None => reference("schemas", &returned),
            };
            for (status, response) in found["responses"].as_object().expect(name) {
                if matches!(status.as_str(), "200" | "201" | "207") {
                    assert_eq!(response["content"]["application/json"]["schema"], schema, "{name} {status}");
                }
                if status.starts_with('2') {
                    assert!(!response["headers"]["X-Request-Id"].is_null(), "{name} {status}: {response}");
                }
            }
            let with_etag = operation.returned == "*" && operation.method != "delete";
            let etag = &found["responses"].get("200").or_else(|| found["responses"].get("201")).expect(name)["headers"]
                ["ETag"];
            assert_eq!(!etag.is_null(), with_etag, "{name}");
        });
    });
}

#[test]
fn each_error_is_a_problem_whose_examples_are_of_its_status() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let mut statuses: BTreeMap<&str, &str> = BTreeMap::new();
        let of_server = |status: &str| if status.starts_with('5') { "5XX".to_owned() } else { status.to_owned() };
        for (path, item) in document["paths"].as_object().expect("paths") {
            for operation in item.as_object().expect(path).values().filter_map(|found| found["responses"].as_object()) {
                for (status, response) in operation.iter().filter(|(status, _)| status.as_str() >= "400") {
                    let name = response["$ref"].as_str().expect("a response of the components");
                    assert_eq!(
                        *statuses.entry(name).or_insert(status),
                        status,
                        "{path}: {name} stands for two statuses"
                    );
                }
            }
        }
        assert!(statuses.len() > 8, "{statuses:?}");
        for (name, status) in statuses {
            let response = document.pointer(name.trim_start_matches('#')).expect(name);
            let problem = &response["content"]["application/problem+json"];
            assert_eq!(problem["schema"], reference("schemas", "Problem"), "{name}");
            let examples = problem["examples"].as_object().expect(name);
            assert!(!examples.is_empty(), "{name} has no example");
            for (code, example) in examples {
                assert_eq!(example["value"]["code"], *code, "{name}");
                assert_eq!(of_server(&example["value"]["status"].to_string()), status, "{name}");
                assert!(response["description"].as_str().is_some_and(|text| text.contains(code)), "{name}: {code}");
            }
        }
    });
}

#[test]
fn each_body_is_json_of_its_schema() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for_each(&document, |name, resource, operation, found| {
            let body = &found["requestBody"];
            let Some(expected) = operation.body else { return assert!(body.is_null(), "{name}: {body}") };
            // Records to restore can be named by filters instead.
            assert_eq!(body["required"] == true, expected != "{ids}", "{name}");
            let content = body["content"].as_object().expect(name);
            if expected == "{file}" {
                let types: Vec<_> = content.keys().collect();
                return assert_eq!(types, ["application/x-ndjson", "text/csv"], "{name}");
            }
            // A patch may be named one.
            let types = ["application/json", "application/json-patch+json", "application/merge-patch+json"];
            let types = &types[..if operation.method == "patch" { 3 } else { 1 }];
            assert_eq!(content.keys().collect::<Vec<_>>(), types, "{name}");
            let schema = &content["application/json"]["schema"];
            let of_operations = reference("schemas", "PatchOperations");
            let is_own = |(media_type, body): (&String, &Value)| {
                body["schema"] == *(if media_type.contains("json-patch") { &of_operations } else { schema })
            };
            assert!(content.iter().all(is_own), "{name}");
            if expected == "{ids}" {
                assert_eq!(schema["properties"]["ids"]["type"], "array", "{name}: {schema}");
            } else {
                assert_eq!(*schema, reference("schemas", &expected.replace('*', resource.1)), "{name}");
            }
        });
    });
}

#[test]
fn each_operation_is_named_and_tagged() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let tags = document["tags"].as_array().expect("tags").iter();
        let tags: BTreeSet<_> = tags.filter_map(|tag| tag["name"].as_str()).collect();
        for_each(&document, |name, resource, _, found| {
            let id = found["operationId"].as_str().expect(name);
            assert!(id.contains(resource.1.trim_end_matches('y')), "{name}: {id}");
            for text in ["summary", "description"] {
                assert!(found[text].as_str().is_some_and(|text| !text.is_empty()), "{name}: {text}");
            }
            let [tag] = &found["tags"].as_array().expect(name)[..] else { panic!("{name} has one tag") };
            assert!(tags.contains(tag.as_str().expect(name)), "{name}: {tag}");
        });
    });
}

#[test]
fn each_operation_has_the_parameters_of_its_attributes() {
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for_each(&document, |name, (_, _, has), operation, found| {
            let has = |what: &str| has.contains(&what);
            let parameters = parameters(found);
            for parameter in operation.parameters {
                assert!(parameters.contains(parameter), "{name} lacks {parameter}");
            }
            let (is_list, is_get) = (operation.path.is_empty(), operation.method == "get");
            let is_record = is_get && operation.path == "/{id}";
            let is_history = operation.path == "/{id}/history";
            let is_list = is_get && is_list;
            let is_file = operation.path == "/export";
            let is_import = operation.path == "/import";
            let is_upsert = (operation.path.is_empty() && operation.method == "post" || is_import) && has("upsert");
            for (parameter, expected) in [
                ("skip", is_list && has("pages") || is_history),
                ("limit", is_list && has("pages") || is_history),
                ("sort", (is_list || is_file) && has("sort") || is_history),
                ("format", is_file),
                ("raw", is_file || is_import),
                ("mode", is_import),
                ("dry_run", is_import),
                ("where", (is_list || matches!(operation.path, "/restore" | "/deleted" | "/export")) && has("filter")),
                ("q", (is_list || matches!(operation.path, "/restore" | "/deleted" | "/export")) && has("text")),
                ("on_conflict", is_upsert),
                ("conflict", is_upsert),
                ("allow_missing", operation.method == "put" && operation.path == "/{id}" && has("create-by-put")),
                ("only_deleted", (is_list || is_file) && has("soft")),
                ("include_deleted", (is_list || is_file || is_record) && has("soft")),
                ("as_of", is_record && has("log")),
                ("action", is_history),
            ] {
                assert_eq!(parameters.contains(parameter), expected, "{name}: {parameter}");
            }
        });
    });
}

#[test]
fn every_parameter_is_described_and_typed() {
    on_kitchen(async |kitchen| {
        let document = inlined(&kitchen.get("/openapi.json").await.ok());
        let mut count = 0;
        for (path, item) in document["paths"].as_object().expect("paths") {
            let operations = item.as_object().expect(path);
            let own = operations.get("parameters").and_then(Value::as_array).into_iter().flatten();
            let theirs = operations.values().filter_map(|operation| operation["parameters"].as_array()).flatten();
            for parameter in own.chain(theirs) {
                count += 1;
                assert!(!parameter["description"].as_str().unwrap_or_default().is_empty(), "{path}: {parameter}");
                let schema = &parameter["schema"];
                let referred = schema["$ref"].as_str().map(|path| path.trim_start_matches('#'));
                let schema = referred.map_or(schema, |path| document.pointer(path).expect(path));
                assert!(schema["type"].is_string(), "{path}: {parameter}");
                assert_eq!(parameter["in"] == "path", parameter["required"] == true, "{path}: {parameter}");
            }
            let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
            for name in names.filter(|name| *name == "id") {
                let parameter = &operations["parameters"][0];
                assert_eq!((&parameter["name"], &parameter["in"]), (&json!(name), &json!("path")), "{path}");
            }
        }
        assert!(count > 1000, "{count}");
    });
}

#[test]
fn limits_are_those_of_the_attributes() {
    on_kitchen_with_transactions(async |kitchen| {
        let document = inlined(&kitchen.get("/openapi.json").await.ok());
        let limit = |path: &str| {
            let list = document["paths"][path]["get"]["parameters"].as_array().expect("parameters");
            list.iter().find(|parameter| parameter["name"] == "limit").expect("a limit")["schema"].clone()
        };
        for (path, default, maximum) in
            [("/dense", 20, json!(100)), ("/parcels", 20, json!(1000)), ("/v1/clamped", 2, json!(null))]
        {
            let limit = limit(path);
            assert_eq!((&limit["default"], &limit["minimum"]), (&json!(default), &json!(1)), "{path}");
            // A limit that is clamped has no maximum: any is good.
            assert_eq!(limit.get("maximum").unwrap_or(&Value::Null), &maximum, "{path}");
        }
        let schemas = &document["components"]["schemas"];
        for (schema, list, maximum) in
            [("ParcelBatchCreate", "items", 1000), ("SlipBatchUpdate", "items", 5), ("TrayBatchDelete", "ids", 3)]
        {
            let list = &schemas[schema]["properties"][list];
            assert_eq!(list["maxItems"], maximum, "{schema}");
        }
    });
}

#[test]
fn each_type_is_filtered_by_its_operators() {
    // Equality is the field's bare name.
    let compared = ["gt", "gte", "in", "lt", "lte", "ne", "nin"];
    let times = ["gt", "gte", "in", "lt", "lte", "ne", "nin", "on"];
    let told_apart = ["in", "ne", "nin"];
    let text = ["contains", "gt", "gte", "icontains", "ilike", "in", "like", "lt", "lte", "ne", "nin", "startswith"];
    on_kitchen(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        for (path, nullable) in [("/dense", false), ("/sparse", true)] {
            let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for name in parameters(&document["paths"][path]["get"]) {
                if let Some((field, operator)) = name.split_once("__") {
                    found.entry(field).or_default().insert(operator);
                }
            }
            for (fields, operators) in [
                ("small medium large unsigned single double day time decimal", &compared[..]),
                ("instant local", &times),
                ("flag uuid priority", &told_apart),
                ("text sku", &text),
            ] {
                let operators: BTreeSet<_> = operators.iter().copied().chain(nullable.then_some("isnull")).collect();
                for field in fields.split(' ') {
                    assert_eq!(found.remove(field).as_ref(), Some(&operators), "{path}: {field}");
                }
            }
            assert_eq!(found.remove("id"), Some(compared.into()), "{path}");
            assert!(found.is_empty(), "{path}: JSON, bytes and lists are not filtered: {found:?}");
        }
    });
}
