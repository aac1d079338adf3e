package sessiond

import (
	"cmp"
	"context"
	"iter"
)

const pageSize = 200

// AllEntries iterates over the entries of the session in file order, and requests page after page.
// params.Limit is the size of a page, 200 if it is 0. An error ends the iteration.
func (s *Session) AllEntries(ctx context.Context, params EntriesParams) iter.Seq2[Entry, error] {
	ask := func(cursor string) (*EntriesPage, error) {
		params := params
		params.Cursor, params.Limit = cursor, cmp.Or(params.Limit, pageSize)
		return s.Entries(ctx, params)
	}
	return paged(params.Cursor, ask, func(page *EntriesPage) ([]Entry, *string) {
		return page.Entries, page.NextCursor
	})
}

// AllSessions iterates over the sessions of a working directory, the latest first, and requests page
// after page. If params.Cwd is empty, it iterates over those of all working directories. params.Limit
// is the size of a page. An error ends the iteration. SessionList also answers which files could not be
// read.
func (c *Client) AllSessions(ctx context.Context, params ListParams) iter.Seq2[SessionInfo, error] {
	ask := func(cursor string) (*ListResult, error) {
		params := params
		params.Cursor, params.Limit = cursor, cmp.Or(params.Limit, pageSize)
		if params.Cwd != "" {
			return c.SessionList(ctx, params)
		}
		all, err := ofAllDirectories(params)
		if err != nil {
			return nil, err
		}
		return c.SessionListAll(ctx, all)
	}
	return paged(params.Cursor, ask, func(page *ListResult) ([]SessionInfo, *string) {
		return page.Sessions, page.NextCursor
	})
}

// ofAllDirectories returns the params without the working directory.
func ofAllDirectories(params ListParams) (all ListAllParams, err error) {
	text, err := encode(params)
	if err != nil {
		return all, err
	}
	return decode[ListAllParams](text)
}

// AllMatches iterates over the results of a search, the best first, and requests page after page.
// params.Limit is the size of a page, 200 if it is 0. An error ends the iteration.
func (c *Client) AllMatches(ctx context.Context, params CatalogSearchParams) iter.Seq2[SearchHit, error] {
	ask := func(cursor string) (*CatalogSearchResult, error) {
		params := params
		params.Cursor, params.Limit = cursor, cmp.Or(params.Limit, pageSize)
		return c.CatalogSearch(ctx, params)
	}
	return paged(params.Cursor, ask, func(page *CatalogSearchResult) ([]SearchHit, *string) {
		return page.Hits, page.NextCursor
	})
}

// paged iterates over the items of all pages from a cursor on. in returns the items of a page and the
// cursor of the next one, which is nil at the end.
func paged[P, T any](
	cursor string, ask func(string) (P, error), in func(P) ([]T, *string),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for next := &cursor; next != nil; {
			page, err := ask(*next)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			var items []T
			items, next = in(page)
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}
