//! List the sessions of a folder: `cargo run --example list -- [folder]`.

use sessiond_client::types::ListParams;
use sessiond_client::{Client, Error, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let client = Client::spawn(Options::new()).await?;
    let page = client.list(ListParams::new(folder).limit(20)).await?;
    for info in &page.sessions {
        let title = info.name.as_deref().unwrap_or(&info.first_message);
        println!(
            "{}  {:4} messages  {title}",
            info.modified, info.message_count
        );
    }
    println!("{} sessions", page.total);
    client.close().await?;
    Ok(())
}
