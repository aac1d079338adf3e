//! The daemon to test with.

use std::env;
use std::path::{Path, PathBuf};

use sessiond_client::Options;

/// The program in the environment variable `SESSIOND`, else the one of the repository, else the one on
/// the `PATH`.
pub fn program() -> PathBuf {
    if let Some(program) = env::var_os("SESSIOND").filter(|value| !value.is_empty()) {
        return program.into();
    }
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/sessiond");
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join("sessiond"));
    std::iter::once(ours)
        .chain(found)
        .find(|program| program.is_file())
        .expect("the tests need sessiond: run `make install` in the repository, or set SESSIOND")
}

/// Starts it without the user's cache of the catalogue.
pub fn options() -> Options {
    let options = Options::new().program(program());
    options.env("SESSIOND_NO_CATALOG_CACHE", "1")
}
