//! Names in Rust for the names in a database.

use std::collections::HashSet;

use crud_shared::list::{CONNECTIVES, OPERATORS, PARAMETERS};
use crud_shared::plural;

use crate::names::{self, RESERVED};

/// Names of modules that no table can have.
const MODULES: &[&str] = &["mod", "self", "super", "crate", "lib", "main"];

/// Further types that the files for tables use, beside the ones of every generated file.
const USED: &[&str] = &["Box", "Err", "NaiveDateTime", "NaiveTime", "None", "Ok", "Resource", "Result", "Self", "Some"];

/// Names in JSON that answers use for something else.
const RESERVED_NAMES: &[&str] = &["unreadable"];

/// Words of a name in snake case, of ASCII letters and digits alone.
pub(super) fn words(name: &str) -> String {
    names::snake(&ascii(name))
}

/// The singular of a table's name, in snake case.
pub(super) fn singular(table: &str) -> String {
    let words = words(table);
    let (head, last) =
        words.rsplit_once('_').map_or((String::new(), &*words), |(head, last)| (format!("{head}_"), last));
    format!("{head}{}", plural::singular_of_noun(last))
}

/// A name with each letter that is not of ASCII as one that is, or as nothing.
fn ascii(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_string() } else { plain(letter) }).collect()
}

/// A letter without its accent; another character separates words.
fn plain(letter: char) -> String {
    const ACCENTED: &[(&str, &str)] = &[
        ("àáâãåāăą", "a"),
        ("äæ", "ae"),
        ("çćĉċč", "c"),
        ("ďđð", "d"),
        ("èéêëēĕėęě", "e"),
        ("ĝğġģ", "g"),
        ("ĥħ", "h"),
        ("ìíîïĩīĭįı", "i"),
        ("ĵ", "j"),
        ("ķ", "k"),
        ("ĺļľłŀ", "l"),
        ("ñńņňŋ", "n"),
        ("òóôõøōŏő", "o"),
        ("öœ", "oe"),
        ("ŕŗř", "r"),
        ("śŝşš", "s"),
        ("ß", "ss"),
        ("ţťŧþ", "t"),
        ("ùúûũūŭůűų", "u"),
        ("ü", "ue"),
        ("ŵ", "w"),
        ("ýÿŷ", "y"),
        ("źżž", "z"),
    ];
    let lower: String = letter.to_lowercase().collect();
    let found = ACCENTED.iter().find(|(accented, _)| accented.contains(&lower)).map_or("_", |(_, plain)| plain);
    if letter.is_uppercase() { names::capital(found) } else { found.to_owned() }
}

/// The name of a field for a column: in snake case, and none of the `taken` ones.
pub(super) fn field(column: &str, taken: &HashSet<String>) -> String {
    let words = words(column);
    let name = match words.chars().next() {
        None => "column".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("column_{words}"),
        Some(_) if names::is_never_a_name(&words) => format!("{words}_value"),
        Some(_) => words,
    };
    free(&name, |name| taken.contains(name))
}

/// The name in JSON of a field that lists filter by, where the field's own name is reserved or is a parameter.
pub(super) fn renamed(field: &str) -> Option<String> {
    let is_operator = field.rsplit_once("__").is_some_and(|(_, end)| OPERATORS.contains(&end));
    let is_reserved = RESERVED_NAMES.contains(&field) || PARAMETERS.contains(&field) || CONNECTIVES.contains(&field);
    (is_reserved || is_operator).then(|| format!("{field}_value"))
}

/// Names that a further model must not have, since others have them.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Names of structs and enums in snake case, which are also the names of files.
    modules: HashSet<String>,
    /// Types that the derive declares beside structs.
    types: HashSet<String>,
    /// Further schemas of structs in the OpenAPI document, beside those of records.
    schemas: HashSet<String>,
    /// Paths of routes, without the slash.
    prefixes: HashSet<String>,
}

/// The names of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelName {
    /// The struct's name.
    pub(super) name: String,
    /// The path, where it is not the struct's plural.
    pub(super) prefix: Option<String>,
}

impl Taken {
    /// Takes the name of a model that exists.
    pub(super) fn take(&mut self, name: &str, prefix: Option<&str>) {
        self.modules.insert(names::snake(name));
        self.take_derived(name, &[]);
        let prefix = prefix.map_or_else(|| names::plural(name), |prefix| prefix.trim_start_matches('/').to_owned());
        self.prefixes.insert(prefix);
    }

    /// Takes the name of a file.
    pub(super) fn take_module(&mut self, module: &str) {
        self.modules.insert(module.to_owned());
    }

    /// The name of a table's model: the singular of the table's name, or a longer name where that is taken. `enums`:
    /// the table's columns of enums.
    pub(super) fn model(&mut self, table: &str, schema: Option<&str>, enums: &[&str]) -> ModelName {
        let (words, singular) = (words(table), singular(table));
        let of_schema = schema.map(|schema| names::snake(&format!("{}_{singular}", self::words(schema))));
        // The model of a table such as `user_list` would have the name of a schema of `User`.
        let record = (!self.modules.contains(&singular)).then(|| format!("{singular}_record"));
        let candidates = [Some(singular.clone()), Some(words), of_schema, record];
        let is_free = |name: &str| self.is_free(name, enums);
        let name = candidates.into_iter().flatten().map(|name| type_name(&name)).find(|name| is_free(name));
        let name = name.unwrap_or_else(|| free(&type_name(&singular), |name| !is_free(name)));
        self.modules.insert(names::snake(&name));
        self.take_derived(&name, enums);
        let plural = names::plural(&name);
        let is_taken = |prefix: &str| self.prefixes.contains(prefix) || RESERVED.contains(&prefix);
        let prefix = if is_taken(&plural) {
            let own = names::snake(&name);
            Some(free(&own, is_taken))
        } else {
            None
        };
        self.prefixes.insert(prefix.clone().unwrap_or(plural));
        ModelName { name, prefix }
    }

    /// The name of an enum with a file to itself.
    pub(super) fn enumeration(&mut self, ty: &str) -> String {
        let wanted = type_name(&words(ty));
        let name = free(&wanted, |name| self.is_taken(name) || self.types.contains(name));
        self.modules.insert(names::snake(&name));
        name
    }

    fn is_free(&self, name: &str, enums: &[&str]) -> bool {
        let is_derived = self.types.contains(name) || self.schemas.contains(name);
        let derives_taken = types(name).chain(schemas(name, enums)).any(|derived| self.is_taken(&derived));
        !self.is_taken(name) && !is_derived && !derives_taken
    }

    fn is_taken(&self, name: &str) -> bool {
        self.modules.contains(&names::snake(name))
    }

    fn take_derived(&mut self, name: &str, enums: &[&str]) {
        self.types.extend(types(name));
        self.schemas.extend(schemas(name, enums));
    }
}

/// The types that the derive makes of a struct.
fn types(name: &str) -> impl Iterator<Item = String> {
    [format!("New{name}"), format!("{name}Patch"), format!("{name}Fields")].into_iter()
}

/// Further schemas of a struct in the OpenAPI document, beside that of its records; its enums have schemas as well.
fn schemas(name: &str, enums: &[&str]) -> impl Iterator<Item = String> {
    let ends = ["Create", "Patch", "List", "Where", "Search", "Filter"].into_iter().map(str::to_owned);
    ends.chain(enums.iter().map(|column| names::camel(&words(column)))).map(move |end| format!("{name}{end}"))
}

/// The name of a type for words in snake case.
fn type_name(words: &str) -> String {
    let camel = names::camel(words);
    let name = match camel.chars().next() {
        None => "Table".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("Table{camel}"),
        Some(_) => camel,
    };
    let is_reserved = names::is_used_type(&name) || USED.contains(&&*name) || MODULES.contains(&&*names::snake(&name));
    if is_reserved { format!("{name}Record") } else { name }
}

/// The names of an enum's variants for these texts, in the same order.
pub(super) fn variants(labels: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut variants = Vec::with_capacity(labels.len());
    for label in labels {
        let camel = names::camel(&words(label));
        let name = match camel.chars().next() {
            None => "Other".to_owned(),
            Some(first) if first.is_ascii_digit() => format!("V{camel}"),
            Some(_) if camel == "Self" => "SelfValue".to_owned(),
            Some(_) => camel,
        };
        let name = free(&name, |name| taken.contains(name));
        taken.insert(name.clone());
        variants.push(name);
    }
    variants
}

/// The name, or the name with the first number that makes it free.
pub(super) fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    let separator = if name.starts_with(|first: char| first.is_ascii_uppercase()) { "" } else { "_" };
    let mut numbered = (2..).map(|number: u32| format!("{name}{separator}{number}"));
    numbered.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(tables: &[&str]) -> Vec<String> {
        let mut taken = Taken::default();
        let name = |table: &&str| {
            let ModelName { name, prefix } = taken.model(table, Some("sales"), &["mood"]);
            prefix.map_or_else(|| name.clone(), |prefix| format!("{name} at /{prefix}"))
        };
        tables.iter().map(name).collect()
    }

    #[test]
    fn a_model_is_the_singular_of_its_table() {
        assert_eq!(
            models(&["films", "film_actor", "OrderLines", "zip codes"]),
            ["Film", "FilmActor", "OrderLine", "ZipCode"]
        );
        assert_eq!(models(&["2fa_tokens", "größe", "staff"]), ["Table2faToken", "Groesse", "Staff"]);
    }

    #[test]
    fn two_tables_of_one_singular_have_different_names() {
        assert_eq!(models(&["user", "users"]), ["User", "Users at /users_2"]);
        assert_eq!(models(&["User", "user", "USER"]), ["User", "SalesUser", "User2"]);
    }

    #[test]
    fn a_name_that_a_file_uses_is_another() {
        assert_eq!(models(&["options", "strings", "mod"]), ["OptionRecord", "StringRecord", "ModRecord"]);
        assert_eq!(models(&["metrics", "health"]), ["Metric at /metric", "Health at /health_2"]);
    }

    #[test]
    fn a_type_or_a_schema_of_another_model_is_not_a_model() {
        assert_eq!(models(&["author", "author_patch", "new_author"]), ["Author", "SalesAuthorPatch", "SalesNewAuthor"]);
        assert_eq!(models(&["new_user", "users"]), ["NewUser", "Users"]);
        assert_eq!(models(&["order", "order_lists", "order_mood"]), ["Order", "OrderLists", "SalesOrderMood"]);
        let mut taken = Taken::default();
        let mut name = |table| taken.model(table, None, &[]).name;
        assert_eq!([name("user"), name("user_list")], ["User", "UserListRecord"]);
    }

    #[test]
    fn fields_are_identifiers_that_differ() {
        let taken: HashSet<String> = ["user_id".to_owned()].into();
        let names =
            ["userId", "zip code", "2nd", "self", "größe", "_", "ID", "type"].map(|column| field(column, &taken));
        assert_eq!(names, ["user_id_2", "zip_code", "column_2nd", "self_value", "groesse", "column", "id", "type"]);
        assert_eq!(renamed("limit").as_deref(), Some("limit_value"));
        assert_eq!(renamed("unreadable").as_deref(), Some("unreadable_value"));
        assert_eq!(renamed("name"), None);
    }

    #[test]
    fn variants_are_identifiers_that_differ() {
        let labels = ["PG-13", "NC-17", "2nd", "in_stock", "In Stock", "self", "+"].map(str::to_owned);
        assert_eq!(variants(&labels), ["Pg13", "Nc17", "V2nd", "InStock", "InStock2", "SelfValue", "Other"]);
    }
}
