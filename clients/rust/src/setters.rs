//! The builder methods of params.

/// Writes a method for each optional member, which sets it to `given` and returns the params.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $taken:ty = $given:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $taken) -> Self {
            self.$name = $given;
            self
        }
    )*};
}

pub(crate) use setters;
