//! Hostile requests, generated from the document: every operation, every place where it takes a value, and values that
//! no ordinary client sends. The same document has the same requests.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) method: Method,
    /// Path and query string, percent-encoded.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    /// The media type, empty for none, and the bytes.
    pub(crate) body: Option<(String, Vec<u8>)>,
    /// The list of the resource that the request is to, if it is to one.
    pub(crate) list: Option<String>,
}

/// Values of parameters, percent-encoded.
const PARAMETERS: [&str; 44] = [
    "",
    "%20",
    "%00",
    "a%00b",
    "%ff",
    "%c0%80",
    "%ed%a0%80",
    "%zz",
    "%",
    "+",
    "-1",
    "0",
    "-0",
    "01",
    "%2B1",
    "1.0",
    "1.5",
    "1e2",
    "1e400",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "99999999999999999999999999999999999999999999999999",
    "NaN",
    "Infinity",
    "null",
    "true",
    "%27",
    "%22",
    "%27%3B%20DROP%20TABLE%20products%3B--",
    "%25%25%25",
    "%5C",
    "..%2F..%2Fetc%2Fpasswd",
    "%E2%80%AE%EF%BB%BF",
    "%F4%8F%BF%BF",
    "e%CC%81",
    ",",
    "%22a",
    "0000-00-00T00:00:00Z",
    "2026-02-30",
    "99999-12-31T23:59:60Z",
    "%7B%22or%22%3A%5B%7B%7D%5D%7D",
];

/// Values of headers.
const HEADERS: [&str; 14] = [
    "",
    "*",
    "\"",
    "\"a",
    "W/",
    "\"a\", \"b\", *",
    ",,,",
    "a=;b",
    "-1",
    "99999999999999999999",
    "00-00000000000000000000000000000000-0000000000000000-00",
    "';--",
    "\u{a0}",
    "return=minimal, return=representation, wait=-1, count=x",
];

/// Media types that are not those of JSON, or not well-formed.
const MEDIA_TYPES: [&str; 9] = [
    "",
    "text/plain",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "application/json;;;=",
    "application",
    "*/*",
];

/// Whole bodies.
fn bodies() -> Vec<Vec<u8>> {
    let texts = [
        "",
        " ",
        "null",
        "true",
        "1",
        "\"\"",
        "[]",
        "{}",
        "[{}]",
        "{",
        "{\"a\"",
        "{\"a\":}",
        "{\"a\":1,}",
        "{}{}",
        "{} x",
        "{'a':1}",
        "{\"a\":NaN}",
        "{\"a\":1e999}",
        "{\"a\":01}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\u{1}\"}",
        "{\"\\u0000\":1}",
        "{\"id\":1,\"id\":2}",
        "{\"items\":null,\"ids\":{},\"where\":[]}",
        "{\"items\":[null,1,[],{}]}",
        "{\"ids\":[null,-1,1.5,\"1\",{},1,1]}",
        "{\"__proto__\":{\"a\":1},\"$set\":{},\"constructor\":null}",
        "\u{feff}{}",
    ];
    let mut bodies: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    bodies.extend([
        b"{\"a\":\"\xff\"}".to_vec(),
        b"\xfe\xff\x00{\x00}".to_vec(),
        [b"[".repeat(5_000), b"]".repeat(5_000)].concat(),
        [b"{\"a\":".repeat(200), b"1".to_vec(), b"}".repeat(200)].concat(),
        [b"{\"a\":".to_vec(), b"9".repeat(50_000), b"}".to_vec()].concat(),
        [b"{\"items\":[".to_vec(), b"{},".repeat(2_000), b"{}]}".to_vec()].concat(),
        [b"{".to_vec(), (0..2_000).flat_map(|n| format!("\"k{n}\":0,").into_bytes()).collect(), b"\"k\":0}".to_vec()]
            .concat(),
    ]);
    bodies
}

/// Values of a member of a body.
fn values() -> Vec<Value> {
    let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
    let mut values = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e308),
        json!(-1e-308),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(32_768),
        json!(4_294_967_296_i64),
        json!([]),
        json!({}),
        json!([[null]]),
        json!({ "$gt": "" }),
        json!({ "or": [{ "and": [] }, { "not": null }] }),
        json!([1, "1", 1.0, null]),
        deep,
        json!(vec![0; 3_000]),
        json!("x".repeat(70_000)),
        json!("\u{1f4a1}".repeat(300)),
    ];
    let texts = [
        "",
        " ",
        "\0",
        "a\0b",
        "1",
        "true",
        "null",
        "NaN",
        "'; DROP TABLE products; --",
        "\u{202e}\u{feff}",
        "\u{10ffff}",
        "\\u0000",
        "%",
        "../../etc/passwd",
        "2026-02-30T25:61:61Z",
        "0000-01-01T00:00:00Z",
        "10000-01-01",
        "23:59:60",
        "1e400",
        "-0.0000000000000000000000000000001",
        "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0",
        "not base64!",
        "a@b@c",
        "javascript:alert(1)",
    ];
    values.extend(texts.into_iter().map(Value::from));
    values
}

/// Spreads values: each place gets a few, others than the last place, so that the values are spread over all places.
struct Spread(usize);

impl Spread {
    fn next<'a, T>(&mut self, of: &'a [T], count: usize) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let from = self.0;
        self.0 += count;
        of.iter().cycle().skip(from % of.len()).take(count.min(of.len()))
    }
}

/// The hostile requests to a service. `ids` has the key of a record by the path of its list.
pub(crate) fn inputs(document: &Value, ids: &BTreeMap<String, String>) -> Vec<Input> {
    let mut generator = Generator { document, ids, spread: Spread(0), values: values(), inputs: Vec::new() };
    for (path, item) in document["paths"].as_object().expect("paths") {
        let item = item.as_object().expect("operations");
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            match item.get(&method.as_str().to_lowercase()) {
                Some(operation) => generator.of_operation(path, &method, operation),
                None => generator.add(&method, &generator.target(path), &[], None, path),
            }
        }
        generator.add(&Method::TRACE, &generator.target(path), &[], None, path);
    }
    generator.inputs
}

struct Generator<'a> {
    document: &'a Value,
    ids: &'a BTreeMap<String, String>,
    spread: Spread,
    values: Vec<Value>,
    inputs: Vec<Input>,
}

impl Generator<'_> {
    fn add(
        &mut self,
        method: &Method,
        target: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, Vec<u8>)>,
        path: &str,
    ) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let body = body.map(|(media_type, bytes)| (media_type.to_owned(), bytes));
        let input = Input { method: method.clone(), target: target.to_owned(), headers, body, list: self.list(path) };
        self.inputs.push(input);
    }

    /// The list of the resource that a path is of.
    fn list(&self, path: &str) -> Option<String> {
        let ends = path.match_indices('/').map(|(end, _)| end).filter(|end| *end > 0).chain([path.len()]);
        let list = ends.map(|end| &path[..end]).find(|prefix| self.ids.contains_key(*prefix))?;
        let parameters = &self.document["paths"][list]["get"]["parameters"];
        let all = parameters.as_array()?.iter().any(|parameter| parameter["name"] == "include_deleted");
        Some(if all { format!("{list}?include_deleted=true") } else { list.to_owned() })
    }

    /// The path with the key of a record, and the key for a missing list.
    fn target(&self, path: &str) -> String {
        self.with_id(path, None)
    }

    fn with_id(&self, path: &str, id: Option<&str>) -> String {
        let Some((list, rest)) = path.split_once("/{") else { return path.to_owned() };
        let known = self.ids.get(list).map_or("1", String::as_str);
        format!("{list}/{}{}", id.unwrap_or(known), rest.split_once('}').map_or("", |(_, rest)| rest))
    }

    fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        let Some(reference) = value["$ref"].as_str() else { return value };
        self.document.pointer(reference.trim_start_matches('#')).expect("the target of a reference")
    }

    fn of_operation(&mut self, path: &str, method: &Method, operation: &Value) {
        let target = self.target(path);
        let content = self.resolved(&operation["requestBody"])["content"].clone();
        let json = content["application/json"]["schema"].clone();
        let example = self.resolved(&json)["examples"][0].clone();
        let plain = || (!example.is_null()).then(|| ("application/json", example.to_string().into_bytes()));
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let parameters: Vec<Value> = parameters.iter().map(|parameter| self.resolved(parameter).clone()).collect();
        if path.contains('{') {
            for id in self.spread.next(&PARAMETERS, 5) {
                // Another path, which the clients' own rules resolve.
                if !id.is_empty() && !id.contains("..") {
                    self.add(method, &self.with_id(path, Some(id)), &[], plain(), path);
                }
            }
        }
        for parameter in &parameters {
            let name = parameter["name"].as_str().expect("a name");
            match parameter["in"].as_str() {
                Some("query") => {
                    for value in self.spread.next(&PARAMETERS, 2) {
                        self.add(method, &format!("{target}?{name}={value}"), &[], plain(), path);
                    }
                }
                Some("header") => {
                    for value in self.spread.next(&HEADERS, 3) {
                        self.add(method, &target, &[(name, value)], plain(), path);
                    }
                }
                _ => {}
            }
        }
        let names: Vec<&str> = parameters.iter().filter_map(|parameter| parameter["name"].as_str()).collect();
        self.of_query(path, method, &target, &names, plain().as_ref());
        if !content.is_null() {
            self.of_body(path, method, &target, &content, &example);
        }
    }

    /// Query strings as a whole.
    fn of_query(&mut self, path: &str, method: &Method, target: &str, names: &[&str], body: Option<&(&str, Vec<u8>)>) {
        let all = names.iter().map(|name| format!("{name}=1")).collect::<Vec<_>>().join("&");
        let twice = names.first().map_or(String::new(), |name| format!("{name}=1&{name}=2"));
        let queries = [
            "=".to_owned(),
            "&&&=&=".to_owned(),
            "%00=%00".to_owned(),
            "%ff=1".to_owned(),
            "__proto__=1&constructor=1&id__%24ne=1".to_owned(),
            "a=1;b=2".to_owned(),
            "x".repeat(9_000),
            "x=1&".repeat(300),
            all,
            twice,
        ];
        for query in self.spread.next(&queries, 3) {
            self.add(method, &format!("{target}?{query}"), &[], body.cloned(), path);
        }
    }

    fn of_body(&mut self, path: &str, method: &Method, target: &str, content: &Value, example: &Value) {
        let media_types: Vec<String> = content.as_object().expect("media types").keys().cloned().collect();
        let first = media_types[0].clone();
        let bodies = bodies();
        for body in self.spread.next(&bodies, 12) {
            self.add(method, target, &[], Some((&first, body.clone())), path);
        }
        let whole = if example.is_null() { b"{}".to_vec() } else { example.to_string().into_bytes() };
        for media_type in self.spread.next(&MEDIA_TYPES, 3) {
            self.add(method, target, &[], Some((media_type, whole.clone())), path);
        }
        self.add(method, target, &[("content-encoding", "gzip")], Some((&first, whole)), path);
        let mut places = Vec::new();
        pointers(example, String::new(), &mut places);
        let values = self.values.clone();
        for place in &places {
            for value in self.spread.next(&values, 3) {
                let mut body = example.clone();
                if let Some(member) = body.pointer_mut(place) {
                    *member = value.clone();
                }
                self.add(method, target, &[], Some((&first, body.to_string().into_bytes())), path);
            }
        }
    }
}

/// The places inside a value.
fn pointers(value: &Value, at: String, found: &mut Vec<String>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in members {
        pointers(value, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
    }
    if !at.is_empty() {
        found.push(at);
    }
}
