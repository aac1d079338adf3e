//! List the sessions of a folder without async code: `cargo run --example blocking -- [folder]`.
//!
//! The runtime works while it waits for a call. With `Builder::new_multi_thread` changes also arrive
//! between calls.

use sessiond_client::types::ListParams;
use sessiond_client::{Client, Options};
use tokio::runtime::Builder;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let client = runtime.block_on(Client::spawn(Options::new()))?;
    let page = runtime.block_on(client.list(ListParams::new(folder).limit(20)))?;
    for info in &page.sessions {
        println!("{}  {}", info.modified, info.first_message);
    }
    println!("{} sessions", page.total);
    runtime.block_on(client.close())?;
    Ok(())
}
