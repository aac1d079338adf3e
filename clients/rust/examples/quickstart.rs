//! Open the latest session of this folder, or a new one, append a message, and show the conversation:
//! `cargo run --example quickstart`.

use sessiond_client::types::{Entry, UserMessage};
use sessiond_client::{Client, Error, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::spawn(Options::new()).await?;
    let session = client.continue_recent(".").await?;
    session.append_message(UserMessage::text("hello")).await?;
    let mut entries = session.entries();
    while let Some(entry) = entries.next().await {
        if let Entry::Message(entry) = entry?.read() {
            println!("{}", entry.message.text());
        }
    }
    client.close().await?;
    Ok(())
}
