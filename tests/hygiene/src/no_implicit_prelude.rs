//! Without the standard library's prelude, an expansion finds nothing that it does not name in full.
#![no_implicit_prelude]

use ::renamed::{Resource, ResourceEnum};

#[derive(ResourceEnum)]
#[crud(crate(::renamed))]
enum State {
    OnSale,
    #[crud(rename = "gone")]
    SoldOut,
}

#[derive(Resource)]
#[crud(crate(::renamed))]
struct Category {
    id: ::renamed::prelude::Uuid,
}

#[derive(Resource)]
#[crud(crate(::renamed), view("SELECT id FROM things", reads(Thing, self::Category)), filter)]
struct Shown {
    id: i64,
}

#[derive(Resource)]
#[crud(
    crate(::renamed),
    filter,
    sort(name),
    default_sort(desc(name)),
    pagination(over_limit(clamp)),
    operations(except(delete)),
    unique(name, size),
    index(size, name),
    tags("Things"),
    hooks(before(before), after(after), committed(committed), validate(complete))
)]
struct Thing {
    id: i64,
    #[crud(length(min = 1), validate(one_of("a", "b"), custom(check), email, url, pattern = "a"), unique, immutable)]
    name: ::std::string::String,
    #[crud(range(min = 0, max = 5.5), default = 1.0, read_only)]
    size: f64,
    #[crud(default(State::OnSale), hidden)]
    state: State,
    #[crud(default(State::OnSale), transitions(sell(OnSale, SoldOut, role("a")), resell(SoldOut, OnSale)))]
    shown: State,
    other: ::core::option::Option<State>,
    #[crud(references(Category, on_delete(set_null)))]
    category_id: ::core::option::Option<::renamed::prelude::Uuid>,
    #[crud(decimal(3, 1))]
    price: ::renamed::prelude::Decimal,
    #[crud(created_at)]
    created_at: ::renamed::prelude::DateTime<::renamed::prelude::Utc>,
    #[crud(updated_at)]
    updated_at: ::renamed::prelude::DateTime<::renamed::prelude::Utc>,
}

fn check(name: &str) -> ::core::result::Result<(), ::std::string::String> {
    if name.is_empty() {
        ::core::result::Result::Err(::std::string::ToString::to_string("must not be empty"))
    } else {
        ::core::result::Result::Ok(())
    }
}

const fn complete(_: &mut ::renamed::hooks::Changeset<'_, Thing>) {}

#[allow(clippy::unused_async)]
async fn before(
    _: &mut ::renamed::hooks::Changeset<'_, Thing>,
    _: &mut ::renamed::hooks::HookContext<'_>,
) -> ::core::result::Result<(), ::renamed::error::Problem> {
    ::core::result::Result::Ok(())
}

#[allow(clippy::unused_async)]
async fn after(
    _: &::renamed::hooks::Changed<'_, Thing>,
    _: &mut ::renamed::hooks::HookContext<'_>,
) -> ::core::result::Result<(), ::renamed::error::Problem> {
    ::core::result::Result::Ok(())
}

#[allow(clippy::unused_async)]
async fn committed(_: ::renamed::hooks::Changed<'static, Thing>, _: ::renamed::App) {}
