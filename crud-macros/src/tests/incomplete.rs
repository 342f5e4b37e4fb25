//! Incomplete input, as editors expand it: attributes and structs that end at any token.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::DeriveInput;

use super::expansion;

const RESOURCE: &str = r#"
    #[crud(
        prefix = "/v1/books", table("shelf", schema = "library", unmanaged, new, no_key, collation(database)),
        tags("Books", "Shelf"), filter(title, price, author::name), sort(title, printed_at),
        default_sort(desc(printed_at), title), pagination(default_limit = 10, max_limit = 50, over_limit(clamp)),
        soft_delete(include_deleted_by_default, auto_restore_on_update = false), derive(Serialize, ToSchema),
        batch(max_size = 100, mode(partial)), audit(without(changes, user), keep = "400d"),
        access(read(public), write(any(role("clerk"), all(authenticated, permission("books:write"))))),
        operations(list, except(delete)), unique(title, author_id, case_insensitive(title)), index(printed_at, title),
        hooks(validate(checks::whole), before(stamp), after(checks::bill), committed(notify)),
        index(title, price, some(price)), rename_all = "camelCase", crate(::library::crud),
        has_many(copies(Copy::book_id, limit = 5, sort(desc(id)))), scope(role("a"), author_id(claim("author"))),
        view(sqlite = "SELECT 1", reads(Copy))
    )]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    pub(crate) struct Book {
        #[crud(id, rename = "number", column("isbn", sql_type = "inet", format = "unix"))]
        pub id: i64,
        #[crud(sort, unique(active, case_insensitive), length(min = 1, max = 200))]
        #[crud(validate(pattern = "^[A-Z]", custom(checks::title), one_of("novel", "essay"), email, url))]
        pub title: String,
        #[crud(filter, default(Genre::of(1 + 2)), index)]
        pub r#type: String,
        #[crud(default(State::New), transitions(lend(any(New, Back), Out, role("clerk")), give_back(Out, Back)))]
        pub state: State,
        #[crud(decimal(10, 2), range(min = -0.5, max = 999), immutable, hidden, read_only, write_only)]
        #[serde(rename = "cost", default, skip)]
        pub price: Option<Decimal>,
        #[crud(references(crate::Author, expand, on_delete(set_null)), owner(except(role("admin"))), visible(role("a")))]
        pub author_id: Option<i64>,
        #[crud(created_at)]
        pub printed_at: DateTime<Utc>,
        #[crud(updated_at)]
        pub changed_at: DateTime<Utc>,
    }
"#;

const ENUM: &str = r#"
    #[crud(rename_all = "snake_case", crate(::library::crud))]
    pub enum Genre {
        #[crud(rename = "fiction")]
        Novel,
        Essay,
    }
"#;

/// Every beginning of these tokens: up to each token, within each word, and within each pair of brackets, which editors
/// close at once.
fn beginnings(tokens: TokenStream) -> Vec<TokenStream> {
    let mut found = vec![TokenStream::new()];
    let mut before = TokenStream::new();
    for tree in tokens {
        let halves: Vec<TokenTree> = match &tree {
            TokenTree::Group(group) => {
                let half = |tokens| TokenTree::Group(Group::new(group.delimiter(), tokens));
                beginnings(group.stream()).into_iter().map(half).collect()
            }
            TokenTree::Ident(ident) => halves(ident),
            TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
        };
        found.extend(halves.into_iter().map(|half| {
            let mut tokens = before.clone();
            tokens.extend([half]);
            tokens
        }));
        before.extend([tree]);
        found.push(before.clone());
    }
    found
}

fn halves(word: &Ident) -> Vec<TokenTree> {
    let text = word.to_string();
    let ends = if text.starts_with("r#") { 0..0 } else { 1..text.len() };
    ends.map(|end| TokenTree::Ident(Ident::new(&text[..end], word.span()))).collect()
}

fn tokens(source: &str) -> TokenStream {
    source.parse().expect("tokens")
}

/// Expands every beginning of an item that is an item itself. Returns how many are.
fn expand_beginnings(source: &str, stub: &str) -> usize {
    let items = beginnings(tokens(source)).into_iter().filter_map(|item| syn::parse2::<DeriveInput>(item).ok());
    items.map(|item| check(&item, stub)).count()
}

/// Checks an item's expansion: it consists of items, and one of them is the trait's implementation.
#[track_caller]
fn check(item: &DeriveInput, stub: &str) {
    let expansion = expansion(item);
    let text = expansion.to_string();
    let source = item.to_token_stream();
    if let Err(error) = syn::parse2::<syn::File>(expansion) {
        panic!("no items ({error}) for:\n{source}\n{text}");
    }
    assert!(text.contains(&format!("{stub} for {}", item.ident)), "no `{stub}` for:\n{source}\n{text}");
}

#[test]
fn a_half_typed_struct_has_its_traits() {
    let count = expand_beginnings(RESOURCE, "__crud :: Resource");
    assert!(count > 50, "only {count} beginnings are structs");
}

#[test]
fn a_half_typed_enum_has_its_traits() {
    let count = expand_beginnings(ENUM, "__crud :: Column");
    assert!(count > 5, "only {count} beginnings are enums");
}

/// Expands an item with each attribute replaced by each of its beginnings.
fn expand_half_typed_attributes(source: &str, stub: &str) -> usize {
    let mut count = 0;
    let trees: Vec<TokenTree> = tokens(source).into_iter().collect();
    for (position, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else { continue };
        for half in beginnings(group.stream()) {
            let mut item = trees.clone();
            item[position] = TokenTree::Group(Group::new(group.delimiter(), half));
            if let Ok(item) = syn::parse2::<DeriveInput>(item.into_iter().collect()) {
                check(&item, stub);
                count += 1;
            }
        }
    }
    count
}

#[test]
fn a_struct_with_a_half_typed_attribute_has_its_traits() {
    let count = expand_half_typed_attributes(RESOURCE, "__crud :: Resource");
    assert!(count > 500, "only {count} beginnings are attributes");
}

#[test]
fn an_enum_with_a_half_typed_attribute_has_its_traits() {
    let count = expand_half_typed_attributes(ENUM, "__crud :: Column");
    assert!(count > 20, "only {count} beginnings are attributes");
}
