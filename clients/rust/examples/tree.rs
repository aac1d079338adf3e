//! Show a session as a tree: `cargo run --example tree -- <file>`.

use std::collections::HashMap;

use sessiond_client::types::{GetTreeDetail, GetTreeParams, Node, OpenParams, OutlineNode};
use sessiond_client::{Client, Error, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let file = std::env::args().nth(1).expect("usage: tree <file>");
    let client = Client::spawn(Options::new()).await?;
    let session = client
        .open(OpenParams::new(file).read_only(true).must_exist(true))
        .await?;
    let outline = GetTreeParams::new().detail(GetTreeDetail::Outline);
    let tree = session.get_tree(outline).await?;
    let nodes: HashMap<String, OutlineNode> = tree
        .nodes
        .iter()
        .filter_map(|node| match node.read() {
            Node::OutlineNode(node) => Some((node.id.clone(), node)),
            _ => None,
        })
        .collect();
    // Sessions can be very deep, so use a stack instead of recursion.
    let mut left: Vec<(usize, &String)> = tree.roots.iter().rev().map(|id| (0, id)).collect();
    while let Some((depth, id)) = left.pop() {
        let Some(node) = nodes.get(id) else { continue };
        println!("{}{} {}", "  ".repeat(depth), node.type_, node.preview);
        let deeper = depth + usize::from(node.children.len() > 1);
        left.extend(node.children.iter().rev().map(|child| (deeper, child)));
    }
    client.close().await?;
    Ok(())
}
