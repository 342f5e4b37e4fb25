//! `default`.

use crud_runtime::adapter::Changes;
use crud_runtime::column::Value;
use crud_runtime::prelude::*;

const ORIGIN: &str = "here";

fn noon() -> NaiveTime {
    NaiveTime::from_hms_opt(12, 0, 0).expect("noon is a time")
}

#[derive(ResourceEnum)]
enum Status {
    Pending,
}

#[derive(Resource)]
struct Thing {
    id: i64,
    #[crud(default = "pending")]
    text: String,
    #[crud(default = 5)]
    number: u32,
    #[crud(default = -0.5)]
    float: f32,
    #[crud(default(Status::Pending))]
    status: Status,
    #[crud(default(ORIGIN))]
    origin: Option<String>,
    #[crud(default(self::noon()))]
    time: NaiveTime,
    #[crud(default(vec!["a".to_owned(), "b".to_owned()]))]
    words: Vec<String>,
    #[crud(default(std::collections::BTreeMap::<u8, u8>::new().is_empty()))]
    flag: bool,
    #[crud(default({ let x = 1; x + 1 }), range(min = 0))]
    block: i64,
    #[crud(default(None))]
    nothing: Option<i32>,
}

fn default(name: &str) -> Value {
    super::column::<Thing>(name).default.expect("a default")()
}

#[test]
fn default_may_be_any_expression_of_the_type() {
    assert_eq!(default("text"), Value::Text("pending".to_owned()));
    assert_eq!(default("number"), Value::Int(5));
    assert_eq!(default("float"), Value::Float(-0.5));
    assert_eq!(default("status"), Value::Text("Pending".to_owned()));
    assert_eq!(default("origin"), Value::Text("here".to_owned()));
    assert_eq!(default("time"), Value::Time(noon()));
    assert_eq!(default("words"), Value::TextList(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(default("flag"), Value::Bool(true));
    assert_eq!(default("block"), Value::Int(2));
    assert_eq!(default("nothing"), Value::Null);
}

#[test]
fn field_with_a_default_is_optional_on_create() {
    assert!(Changes::from(NewThing::new()).is_empty());
    let new = NewThing::new().text("done").origin(None);
    let changes = Changes::from(new);
    assert_eq!(changes.get(1), Some(&Value::Text("done".to_owned())));
    assert_eq!(changes.get(5), Some(&Value::Null));
    assert_eq!(changes.len(), 2);
}
