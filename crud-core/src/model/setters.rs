//! The setters of builders.

/// Writes the setters of a builder, each with the name of its field:
///
/// ```text
/// doc(&'static str);   pub const fn doc(mut self, doc: &'static str) -> Self { self.doc = doc; self }
/// audit(Some(Audit));  pub const fn audit(mut self, audit: Audit) -> Self { self.audit = Some(audit); self }
/// hidden(true);        pub const fn hidden(mut self) -> Self { self.hidden = true; self }
/// ```
macro_rules! setters {
    (@ $(#[$about:meta])* $field:ident true) => {
        $(#[$about])*
        #[must_use]
        pub const fn $field(mut self) -> Self {
            self.$field = true;
            self
        }
    };
    (@ $(#[$about:meta])* $field:ident Some($type:ty)) => {
        $(#[$about])*
        #[must_use]
        pub const fn $field(mut self, $field: $type) -> Self {
            self.$field = Some($field);
            self
        }
    };
    (@ $(#[$about:meta])* $field:ident $type:ty) => {
        $(#[$about])*
        #[must_use]
        pub const fn $field(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    };
    ($($(#[$about:meta])* $field:ident($($value:tt)+);)+) => {
        $(setters!(@ $(#[$about])* $field $($value)+);)+
    };
}

pub(crate) use setters;

/// Writes the setters of a builder whose names or arguments are not those of its fields, with or without `const`:
///
/// ```text
/// proxied() => is_proxied = true;
/// issuer(name: impl Into<String>) => issuer = Some(name.into());
///
/// pub fn proxied(mut self) -> Self { self.is_proxied = true; self }
/// pub fn issuer(mut self, name: impl Into<String>) -> Self { self.issuer = Some(name.into()); self }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! builder_setters {
    ($($(#[$about:meta])* const $setter:ident($argument:ident: $type:ty) => $field:ident = $value:expr;)+) => {$(
        $(#[$about])*
        pub const fn $setter(mut self, $argument: $type) -> Self {
            self.$field = $value;
            self
        }
    )+};
    ($($(#[$about:meta])* $setter:ident($($argument:ident: $type:ty)?) => $($field:ident).+ = $value:expr;)+) => {$(
        $(#[$about])*
        pub fn $setter(mut self $(, $argument: $type)?) -> Self {
            self.$($field).+ = $value;
            self
        }
    )+};
}
