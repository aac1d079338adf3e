//! Modules generated from the contract.

#[cfg(feature = "blocking")]
#[rustfmt::skip]
mod blocking_calls;
#[rustfmt::skip]
mod calls;
#[rustfmt::skip]
pub(crate) mod errors;
#[rustfmt::skip]
pub(crate) mod methods;
#[rustfmt::skip]
pub mod types;
