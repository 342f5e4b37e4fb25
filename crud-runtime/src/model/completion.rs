//! What editors show of the attributes: each key as an item that rust-analyzer completes and hovers.
//!
//! An expansion names the keys that it read as paths into these modules, with the spans of the user's own
//! tokens, where only rust-analyzer looks (`#[cfg(rust_analyzer)]`). `crate` is a keyword and has no item.

macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident;)+) => { $(
        $(#[$doc])*
        #[allow(non_upper_case_globals)]
        pub const $key: () = ();
    )+ };
}

/// On a struct that derives `Resource`.
pub mod container {
    keys! {
        /// `prefix = "/products"`: the path prefix; without it `/` and the plural of the struct's name.
        prefix;
        /// `table = "products"`: the table; without it the plural of the struct's name.
        table;
        /// `tags("Products")`: the tags that group the operations in the `OpenAPI` document.
        tags;
        /// `filter` or `filter(a, b)`: the fields that a list can be filtered by.
        filter;
        /// `sort` or `sort(a, b)`: the fields that a list can be sorted by.
        sort;
        /// `default_sort(-created_at, name)`: the order of a list whose request does not say.
        default_sort;
        /// `pagination` or `pagination(default_limit = 20, max_limit = 100, over_limit = reject)`: lists in pages.
        pagination;
        /// `soft_delete`: a deleted record stays, and can be restored.
        soft_delete;
        /// `batch` or `batch(max_size = 1000, mode = atomic)`: many records in one request.
        batch;
        /// `audit`: a log of every change.
        audit;
        /// `access(read = public, write = authenticated)`: who may do what.
        access;
        /// `only(list, get)`: the operations that HTTP offers.
        only;
        /// `except(delete)`: the operations that HTTP does not offer.
        except;
        /// `unique(a, b)`: fields that are unique together.
        unique;
        /// `index(a, b)` or `index(a, b, some(b))`: fields that are indexed together.
        index;
        /// `rename_all = "camelCase"`: the case of the names in JSON.
        rename_all;
    }
}

/// On a field.
pub mod field {
    keys! {
        /// `id`: the field is the key.
        id;
        /// `filter`: a list can be filtered by the field.
        filter;
        /// `sort`: a list can be sorted by the field.
        sort;
        /// `unique`: no two records have the same value.
        unique;
        /// `index`: storage indexes the field.
        index;
        /// `default = "pending"`: the stored value when a create leaves the field out.
        default;
        /// `created_at`: set by the service when a record is created.
        created_at;
        /// `updated_at`: set by the service when a record is created or changed.
        updated_at;
        /// `references = Category`: the key of a record of that resource.
        references;
        /// `on_delete = restrict`, `cascade` or `set_null`: what happens when the record that is referred to is deleted.
        on_delete;
        /// `owner`: whose record it is.
        owner;
        /// `visible(role("admin"))`: who may see the field.
        visible;
        /// `precision = 18`: how many digits a decimal has in all.
        precision;
        /// `scale = 4`: how many digits a decimal has after the point.
        scale;
        /// `read_only`: ignored in bodies.
        read_only;
        /// `write_only`: never returned.
        write_only;
        /// `hidden`: neither accepted nor returned.
        hidden;
        /// `immutable`: accepted on create only.
        immutable;
        /// `min = 0`: a number is not less.
        min;
        /// `max = 100`: a number is not greater.
        max;
        /// `min_length = 1`: text, bytes or a list is not shorter.
        min_length;
        /// `max_length = 200`: text, bytes or a list is not longer.
        max_length;
        /// `pattern = "^[a-z]+$"`: text matches somewhere.
        pattern;
        /// `email`: text is an e-mail address.
        email;
        /// `url`: text is an absolute URL.
        url;
        /// `one_of("a", "b")`: the value is one of these.
        one_of;
        /// `custom = path::to::function`: a check of your own, `fn(&T) -> Result<(), impl Display>`.
        custom;
        /// `rename = "name"`: the name in JSON.
        rename;
        /// `column = "name"`: the name in storage.
        column;
    }
}

/// On an enum that derives `ResourceEnum`.
pub mod enumeration {
    keys! {
        /// `rename_all = "snake_case"`: the case of the variants' texts.
        rename_all;
    }
}

/// On a variant.
pub mod variant {
    keys! {
        /// `rename = "text"`: the variant's text.
        rename;
    }
}

/// Inside `pagination(…)`.
pub mod pagination {
    keys! {
        /// `default_limit = 20`: how many records a page has when the request does not say.
        default_limit;
        /// `max_limit = 100`: how many records a page has at most.
        max_limit;
        /// `over_limit = reject` or `clamp`: what happens to a request for more.
        over_limit;
    }
}

/// Inside `soft_delete(…)`.
pub mod soft_delete {
    keys! {
        /// `deleted_at_field = removed_at`: the field of the deletion timestamp.
        deleted_at_field;
        /// `include_deleted_by_default`: lists have deleted records unless the request says otherwise.
        include_deleted_by_default;
        /// `auto_restore_on_update`: an update restores a deleted record.
        auto_restore_on_update;
    }
}

/// Inside `batch(…)`.
pub mod batch {
    keys! {
        /// `max_size = 1000`: how many items a batch has at most.
        max_size;
        /// `mode = atomic` or `partial`: whether the good items of a batch stand when others fail.
        mode;
    }
}

/// Inside `audit(…)`.
pub mod audit {
    keys! {
        /// `track_changes = true`: record the changed values.
        track_changes;
        /// `track_user = true`: record the actor.
        track_user;
        /// `track_timestamp = true`: record the time.
        track_timestamp;
    }
}

/// Inside `index(…)`, beside the fields.
pub mod index {
    keys! {
        /// `some(customer_id)`: only the records that have a value in this field are in the index.
        some;
    }
}

/// Inside `owner(…)`.
pub mod owner {
    keys! {
        /// `except = role("admin")`: who is not bound by ownership.
        except;
    }
}
