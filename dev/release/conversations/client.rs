//! One conversation with the daemon, with the Rust client.

use sessiond_client::types::{BuildParams, InMemoryParams, UserMessage};
use sessiond_client::{Client, Error, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::spawn(Options::new()).await?;
    let session = client.in_memory(InMemoryParams::new().cwd("/")).await?;
    session.append_message(UserMessage::text("hello")).await?;
    let context = session.build_session_context(BuildParams::new()).await?;
    if context.messages.len() == 1 {
        println!("user: hello");
    }
    client.close().await?;
    Ok(())
}
