//! The `const` setters of builders.

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
