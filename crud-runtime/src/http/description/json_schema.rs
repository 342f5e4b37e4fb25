//! [`Schema`]: a JSON Schema of the document.

use serde_json::{Map, Value, json};

/// The keyword that holds the schemas for the components.
const DEFINITIONS: &str = "$defs";

/// Text without NUL.
pub(crate) const PLAIN_TEXT: &str = r"^[^\u0000]*$";

/// A JSON Schema: its keywords.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Schema(Map<String, Value>);

impl Schema {
    /// Any value.
    pub(crate) fn any() -> Self {
        Self::default()
    }

    fn of(kind: &str) -> Self {
        Self::any().with("type", kind)
    }

    pub(crate) fn text() -> Self {
        Self::of("string")
    }

    /// Text without NUL.
    pub(crate) fn plain_text() -> Self {
        Self::text().with("pattern", PLAIN_TEXT)
    }

    /// The schema of one of these texts.
    pub(crate) fn choice<T: Into<Value>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::text().with("enum", texts.into_iter().map(Into::into).collect::<Vec<Value>>())
    }

    pub(crate) fn date_time() -> Self {
        Self::text().with("format", "date-time")
    }

    pub(crate) fn boolean() -> Self {
        Self::of("boolean")
    }

    pub(crate) fn integer() -> Self {
        Self::of("integer")
    }

    /// An integer of this format with this minimum.
    pub(crate) fn at_least(minimum: u64, format: &str) -> Self {
        Self::integer().with("format", format).with("minimum", minimum)
    }

    /// A count: an integer from zero on.
    pub(crate) fn count() -> Self {
        Self::at_least(0, "int64")
    }

    pub(crate) fn number() -> Self {
        Self::of("number")
    }

    pub(crate) fn array(items: Self) -> Self {
        Self::of("array").with("items", items)
    }

    pub(crate) fn object() -> Self {
        Self::of("object")
    }

    /// An object with members of any name and value.
    pub(crate) fn map() -> Self {
        Self::object().with("additionalProperties", true)
    }

    /// The schema of this name in the components.
    pub(crate) fn reference(name: &str) -> Self {
        Self::any().with("$ref", format!("#/components/schemas/{name}"))
    }

    /// A reference to the schema of this name, which it also defines for the components.
    pub(crate) fn named(name: &str, schema: Self) -> Self {
        Self::reference(name).defining(name, schema)
    }

    /// Adds a schema that this one defines for the components.
    pub(crate) fn defining(mut self, name: &str, schema: Self) -> Self {
        self.0.entry(DEFINITIONS).or_insert_with(|| json!({}))[name] = schema.into();
        self
    }

    /// A value of one of these.
    pub(crate) fn one_of(schemas: impl IntoIterator<Item = Self>) -> Self {
        Self::any().with("oneOf", schemas.into_iter().map(Value::from).collect::<Vec<_>>())
    }

    /// A value of this schema, or null.
    pub(crate) fn or_null(self) -> Self {
        Self::one_of([self, Self::of("null")])
    }

    /// Allows null in the type and the values.
    pub(crate) fn nullable(mut self) -> Self {
        if let Some(kind) = self.0.get("type").cloned() {
            self.set("type", json!([kind, "null"]));
            if let Some(values) = self.0.get_mut("enum").and_then(Value::as_array_mut) {
                values.push(Value::Null);
            }
        }
        self
    }

    /// Sets a keyword.
    pub(crate) fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.set(keyword, value);
        self
    }

    /// Sets the description, unless it is empty.
    pub(crate) fn about(mut self, description: &str) -> Self {
        let description = description.trim();
        if !description.is_empty() {
            self.set("description", description);
        }
        self
    }

    /// Sets the example, if there is one.
    pub(crate) fn example(self, example: impl Into<Option<Value>>) -> Self {
        match example.into() {
            Some(example) => self.with("examples", vec![example]),
            None => self,
        }
    }

    /// Adds a required member.
    pub(crate) fn member(mut self, name: &str, schema: Self) -> Self {
        if let Value::Array(required) = self.0.entry("required").or_insert_with(|| json!([])) {
            required.push(name.into());
        }
        self.optional(name, schema)
    }

    /// Adds an optional member.
    pub(crate) fn optional(mut self, name: &str, schema: Self) -> Self {
        let members = self.0.entry("properties").or_insert_with(|| json!({}));
        members[name] = schema.into();
        self
    }

    /// Refuses other members.
    pub(crate) fn closed(self) -> Self {
        self.with("additionalProperties", false)
    }

    pub(crate) fn set(&mut self, keyword: &str, value: impl Into<Value>) {
        self.0.insert(keyword.to_owned(), value.into());
    }

    pub(crate) fn remove(&mut self, keyword: &str) -> Option<Value> {
        self.0.shift_remove(keyword)
    }

    /// Removes the schemas for the components, with their names.
    pub(crate) fn take_definitions(&mut self) -> Vec<(String, Self)> {
        let definitions = self.remove(DEFINITIONS);
        let schemas = definitions.as_ref().and_then(Value::as_object).into_iter().flatten();
        schemas.map(|(name, schema)| (name.clone(), schema.clone().into())).collect()
    }

    pub(crate) fn get(&self, keyword: &str) -> Option<&Value> {
        self.0.get(keyword)
    }

    /// The description; empty for none.
    pub(crate) fn description(&self) -> &str {
        self.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Changes a member's schema, if there is such a member.
    pub(crate) fn change(&mut self, member: &str, change: impl FnOnce(Self) -> Self) {
        let found = self.0.get_mut("properties").and_then(|members| members.get_mut(member));
        if let Some(Value::Object(schema)) = found {
            *schema = change(Self(std::mem::take(schema))).0;
        }
    }

    /// Changes each schema object inside, and this one last.
    pub(crate) fn visit(&mut self, change: &mut impl FnMut(&mut Self)) {
        self.0.values_mut().for_each(|value| visit(value, change));
        change(self);
    }

    pub(crate) const fn keywords(&self) -> &Map<String, Value> {
        &self.0
    }
}

fn visit(value: &mut Value, change: &mut impl FnMut(&mut Schema)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, change)),
        Value::Object(members) => {
            let mut schema = Schema(std::mem::take(members));
            schema.visit(change);
            *members = schema.0;
        }
        _ => {}
    }
}

impl From<Schema> for Value {
    fn from(schema: Schema) -> Self {
        Self::Object(schema.0)
    }
}

impl From<Value> for Schema {
    /// The schema that a program states; any value where it is not an object.
    fn from(value: Value) -> Self {
        if let Value::Object(keywords) = value { Self(keywords) } else { Self::any() }
    }
}
