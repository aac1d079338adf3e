//! Twelve things that programs do with sessions, each in a few lines:
//! `cargo run --example tasks -- <folder>`.

use std::process::Command;

use sessiond_client::types::*;
use sessiond_client::{Change, Client, Error, ErrorKind, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let folder = std::env::args().nth(1).expect("usage: tasks <folder>");
    let client = Client::spawn(Options::new()).await?;

    // List the sessions of a folder.
    let mut listed = 0;
    let mut sessions = client.sessions_of(folder.as_str());
    while let Some(info) = sessions.next().await {
        info?;
        listed += 1;
    }
    println!("list: {listed}");

    // Search in them.
    let mut found = 0;
    let mut hits = client.search(CatalogSearchParams::new("hello").cwd(folder.as_str()));
    while let Some(hit) = hits.next().await {
        hit?;
        found += 1;
    }
    println!("search: {found}");

    // Open the latest.
    let session = client.continue_recent(folder.as_str()).await?;
    let opened = session.state();
    println!("open: {}", opened.entry_count);
    let read_to = session.tip_id();

    // Follow what others append.
    let path = opened.session_file.clone().expect("it has a file");
    let other = client.open(path.as_str()).await?;
    other
        .append_message(UserMessage::text("from elsewhere"))
        .await?;
    if let Some(Change::Appended(_)) = session.changes().next().await {
        println!("follow: appended");
    }

    // Append, unless somebody else has appended meanwhile.
    let mine = AppendMessageParams::new(UserMessage::text("mine"));
    if let Err(error) = session
        .append_message(mine.clone().expected_tip_id(read_to))
        .await
    {
        if matches!(error.kind(), Some(ErrorKind::LeafConflict { .. })) {
            println!("append: LeafConflict");
            // Read what is new, and try again: the tip is current.
            let mine = mine.expected_tip_id(session.tip_id());
            let again = session.append_message(mine).await?;
            println!("again: {}", session.tip_id() == Some(again.id));
        }
    }

    // Go on from an earlier entry: the next append begins a branch.
    let page = session
        .get_entries(GetEntriesParams::new().limit(1))
        .await?;
    let first: String = page.entries[0].member("id").expect("entries have ids");
    let leaf = session.branch(first.as_str()).await?.leaf_id;
    println!("branch: {}", leaf.as_ref() == Some(&first));

    // Copy a branch into a session of its own.
    let branch = ForkFromParams::new(path, folder.as_str()).leaf_id(first.as_str());
    let fork = client.fork_from(branch).await?;
    println!("fork: {}", fork.state().entry_count);

    // Label an entry.
    let start = AppendLabelChangeParams::new(first.as_str()).label("start");
    session.append_label_change(start).await?;
    let label = session.get_label(first.as_str()).await?.label;
    println!("label: {}", label.unwrap_or_default());

    // Name the session.
    session.append_session_info("Greetings").await?;
    let name = session.get_session_name().await?.name;
    println!("rename: {}", name.unwrap_or_default());

    // Export it as Markdown, or as one HTML page.
    let markdown = ExportParams::new(ExportFormat::Markdown).session(session.handle());
    let exported = client.catalog_export(markdown).await?.content;
    println!(
        "export: {}",
        exported.is_some_and(|text| text.contains("hello"))
    );

    // Add up tokens and costs.
    let by_model = CatalogUsageParams::new()
        .cwd(folder)
        .by(CatalogUsageBy::Model);
    let usage = client.catalog_usage(by_model).await?;
    println!("usage: {}", usage.session_count);

    // Nothing is to be done when the daemon ends: it is started again, with all that was open.
    let before = session.get_leaf_id().await?.leaf_id;
    let pid = client.daemon_status().await?.pid.to_string();
    Command::new("kill")
        .args(["-9", &pid])
        .status()
        .expect("kill runs");
    println!(
        "recover: {}",
        session.get_leaf_id().await?.leaf_id == before
    );

    client.close().await?;
    Ok(())
}
