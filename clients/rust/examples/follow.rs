//! Open a session, append to it, and show what others append, until there were this many changes:
//! `cargo run --example follow -- <file> [changes]`.

use sessiond_client::types::{Entry, Message, UserMessage};
use sessiond_client::{Change, Client, Error, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("usage: follow <file> [changes]");
    let mut left = arguments.next().and_then(|count| count.parse().ok());

    let client = Client::spawn(Options::new()).await?;
    let session = client.open(file).await?;
    let mut changes = session.changes();
    let appended = session
        .append_message(UserMessage::text("hello from Rust"))
        .await?;
    println!("appended {}", appended.id);

    while left != Some(0) {
        match changes.next().await {
            Some(Change::Appended(change)) => {
                println!("now {} entries", change.entry_count);
                for facts in change.entries.unwrap_or_default() {
                    let result = session.get_entry(facts.id).await?;
                    if let Some(Entry::Message(entry)) = result.entry.map(|entry| entry.read()) {
                        show(entry.message.read());
                    }
                }
            }
            Some(Change::Reconnected(state)) => println!("reopened at {:?}", state.leaf_id),
            Some(change) => println!("{change:?}"),
            None => break,
        }
        left = left.map(|count: u64| count - 1);
    }
    client.close().await?;
    Ok(())
}

fn show(message: Message) {
    match message {
        Message::User(message) => println!("user: {:?}", message.content),
        Message::Assistant(message) => println!("assistant: {:?}", message.content),
        other => println!("{other:?}"),
    }
}
