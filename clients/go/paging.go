package sessiond

import (
	"cmp"
	"context"
	"iter"
)

// AllEntries iterates over the entries of the session in file order, and requests page after page.
// params.Limit is the size of a page, 200 if it is 0. An error ends the iteration.
func (s *Session) AllEntries(ctx context.Context, params EntriesParams) iter.Seq2[Entry, error] {
	return paged(params.Cursor, func(cursor string) ([]Entry, *string, error) {
		params := params
		params.Cursor, params.Limit = cursor, cmp.Or(params.Limit, pageSize)
		page, err := s.Entries(ctx, params)
		if err != nil {
			return nil, nil, err
		}
		return page.Entries, page.NextCursor, nil
	})
}

// AllSessions iterates over the sessions of a working directory, the latest first, and requests page
// after page. If params.Cwd is empty, it iterates over those of all working directories. params.Limit
// is the size of a page. An error ends the iteration. SessionList also answers which files could not be
// read.
func (c *Client) AllSessions(ctx context.Context, params ListParams) iter.Seq2[SessionInfo, error] {
	list := func(params ListParams) (*ListResult, error) {
		if params.Cwd != "" {
			return c.SessionList(ctx, params)
		}
		all, err := ofAllDirectories(params)
		if err != nil {
			return nil, err
		}
		return c.SessionListAll(ctx, all)
	}
	return paged(params.Cursor, func(cursor string) ([]SessionInfo, *string, error) {
		params := params
		params.Cursor, params.Limit = cursor, cmp.Or(params.Limit, pageSize)
		page, err := list(params)
		if err != nil {
			return nil, nil, err
		}
		return page.Sessions, page.NextCursor, nil
	})
}

// ofAllDirectories returns the params without the working directory.
func ofAllDirectories(params ListParams) (all ListAllParams, err error) {
	text, err := written("session/list", params)
	if err != nil {
		return all, err
	}
	return decode[ListAllParams](text)
}

// AllMatches iterates over the results of a search, the best first, and requests page after page.
// params.Limit is the size of a page, 200 if it is 0. An error ends the iteration.
func (c *Client) AllMatches(ctx context.Context, params CatalogSearchParams) iter.Seq2[SearchHit, error] {
	return paged(params.Cursor, func(cursor string) ([]SearchHit, *string, error) {
		params := params
		params.Cursor, params.Limit = cursor, cmp.Or(params.Limit, pageSize)
		page, err := c.CatalogSearch(ctx, params)
		if err != nil {
			return nil, nil, err
		}
		return page.Hits, page.NextCursor, nil
	})
}

const pageSize = 200

// paged iterates over the items of all pages from a cursor on. ask returns a page and the cursor of the
// next one, which is nil at the end.
func paged[T any](cursor string, ask func(string) ([]T, *string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for next := cursor; ; {
			items, after, err := ask(next)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if after == nil {
				return
			}
			next = *after
		}
	}
}
