//! Entries, sessions and results of searches, read page by page.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{ready, Context, Poll};

use crate::client::Client;
use crate::error::Error;
use crate::json::Json;
use crate::session::Session;
use crate::types::{
    CatalogSearchParams, Entry, GetEntriesParams, ListAllParams, ListParams, SearchHit, SessionInfo,
};

/// How many items a page has, unless the params say otherwise.
const PAGE: i64 = 200;

type Page<T> = Result<(Vec<T>, Option<String>), Error>;
type Asked<T> = Pin<Box<dyn Future<Output = Page<T>> + Send>>;

/// The items of all pages; a page is requested when the items before it were read. An error is the last
/// item.
///
/// With the feature `stream` it is a `futures` stream.
#[must_use = "nothing is requested before the first item"]
pub struct Pages<T> {
    ask: Box<dyn FnMut(Option<String>) -> Asked<T> + Send>,
    asked: Option<Asked<T>>,
    items: VecDeque<T>,
}

impl<T> Pages<T> {
    fn new(
        cursor: Option<String>,
        mut ask: impl FnMut(Option<String>) -> Asked<T> + Send + 'static,
    ) -> Self {
        Self {
            asked: Some(ask(cursor)),
            ask: Box::new(ask),
            items: VecDeque::new(),
        }
    }

    /// Wait for the next item; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        loop {
            if let Some(item) = self.items.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            let Some(asked) = &mut self.asked else {
                return Poll::Ready(None);
            };
            let page = ready!(asked.as_mut().poll(context));
            self.asked = None;
            match page {
                Ok((items, next)) => {
                    self.items = items.into();
                    self.asked = next.map(|cursor| (self.ask)(Some(cursor)));
                }
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Pages")
            .field("items", &self.items.len())
            .finish_non_exhaustive()
    }
}

impl<T> Unpin for Pages<T> {}

#[cfg(feature = "stream")]
#[cfg_attr(docsrs, doc(cfg(feature = "stream")))]
impl<T> futures_core::Stream for Pages<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

/// The items of the pages that a method returns: all its params have `cursor` and `limit`.
macro_rules! pages {
    ($owner:expr, $method:ident, $items:ident, $params:expr) => {{
        let (owner, params) = ($owner.clone(), $params);
        Pages::new(params.cursor.clone(), move |cursor| {
            let (owner, mut params) = (owner.clone(), params.clone());
            params.cursor = cursor;
            params.limit.get_or_insert(PAGE);
            Box::pin(async move {
                let page = owner.$method(params).await?;
                Ok((page.$items, page.next_cursor))
            })
        })
    }};
}

impl Session {
    /// All entries in file order, read page by page.
    pub fn entries(&self) -> Pages<Json<Entry>> {
        self.entries_with(GetEntriesParams::new())
    }

    /// The entries after `cursor`, read in pages of `limit`.
    pub fn entries_with(&self, params: GetEntriesParams) -> Pages<Json<Entry>> {
        pages!(self, get_entries, entries, params)
    }
}

impl Client {
    /// The sessions of all working directories, the latest first, read page by page.
    /// [`Client::list_all`] also answers which files could not be read.
    pub fn sessions(&self) -> Pages<SessionInfo> {
        self.sessions_with(ListAllParams::new())
    }

    /// The sessions of all working directories after `cursor`, read in pages of `limit`.
    pub fn sessions_with(&self, params: ListAllParams) -> Pages<SessionInfo> {
        pages!(self, list_all, sessions, params)
    }

    /// The sessions of a working directory, the latest first, read page by page.
    pub fn sessions_of(&self, params: impl Into<ListParams>) -> Pages<SessionInfo> {
        pages!(self, list, sessions, params.into())
    }

    /// The results of a search, the best first, read page by page.
    pub fn search(&self, params: impl Into<CatalogSearchParams>) -> Pages<SearchHit> {
        pages!(self, catalog_search, hits, params.into())
    }
}
