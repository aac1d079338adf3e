//! Measure the client, for `dev/bench/clients.py` in the repository.

use std::future::Future;
use std::time::Instant;

use sessiond_client::types::{Entry, GetEntriesParams};
use sessiond_client::{Client, Error, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let file = std::env::var("SESSION").expect("SESSION names a session file");
    let client = Client::spawn(Options::new()).await?;
    let session = client.open(file).await?;
    let params = format!(r#"{{"session":"{}"}}"#, session.handle());
    let values = || async {
        let result = session.get_entries(GetEntriesParams::new()).await?;
        Ok(result.entries.iter().map(|entry| entry.read()).collect())
    };

    let (small, _) = median(200, 2_000, || session.get_leaf_id()).await?;
    let (text, _) = median(1, 5, || {
        client.call_text("session/getEntries", Some(&params))
    })
    .await?;
    let (values, entries): (f64, Vec<Entry>) = median(1, 5, values).await?;
    client.close().await?;
    println!(
        r#"{{"entries":{},"small":{small},"text":{text},"values":{values}}}"#,
        entries.len()
    );
    Ok(())
}

/// Return the median in seconds, and the last answer.
async fn median<T, F>(warm: usize, count: usize, ask: impl Fn() -> F) -> Result<(f64, T), Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut taken = Vec::with_capacity(warm + count);
    loop {
        let start = Instant::now();
        let answer = ask().await?;
        taken.push(start.elapsed().as_secs_f64());
        if taken.len() == warm + count {
            let counted = &mut taken[warm..];
            counted.sort_by(f64::total_cmp);
            return Ok((counted[count / 2], answer));
        }
    }
}
