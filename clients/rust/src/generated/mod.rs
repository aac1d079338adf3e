//! Modules generated from the contract.

#[rustfmt::skip]
mod calls;
#[rustfmt::skip]
pub(crate) mod errors;
#[rustfmt::skip]
pub(crate) mod methods;
#[rustfmt::skip]
pub mod types;
