package sessiond

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAChannelThatNobodyReceivesFromDelaysNoOtherListener(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	path := stored(t)
	open := func() *Session {
		t.Helper()
		session, err := client.Open(ctx, OpenParams{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	ignored, writing := open(), open()
	unread := ignored.Changes(ctx)
	changes := open().Changes(ctx)
	const times = 5
	for range times {
		if _, err := writing.AppendMessage(ctx, said("x")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changes:
		case <-ctx.Done():
			t.Fatal("another channel is blocked")
		}
	}
	for sequence := range int64(times) {
		if change := <-unread; change.Sequence != sequence+1 {
			t.Errorf("got %+v", change)
		}
	}
	if err := ignored.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if change, open := <-unread; open {
		t.Errorf("got %+v after the session was closed", change)
	}
	if err := ignored.Err(); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestAClosedSessionCanBeClosedAgainAndRefusesCalls(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	subscription, err := client.WatchCatalog(ctx, CatalogSubscribeParams{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 { // at once, and then again
		group.Add(1)
		go func() {
			defer group.Done()
			for range 2 {
				if err := errors.Join(session.Close(ctx), subscription.Close(ctx)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	_, stateErr := session.State(ctx)
	_, appendErr := session.AppendMessage(ctx, said("x"))
	_, usageErr := session.ContextWindowUsage(ctx, WindowUsageParams{ContextWindow: 1})
	errs := []error{stateErr, appendErr, usageErr, session.Err()}
	for _, err := range session.AllEntries(ctx, EntriesParams{}) {
		errs = append(errs, err)
	}
	for i, err := range errs {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%d: got %v", i, err)
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if err := session.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestACallThatIsOvertakenByCloseSaysClosed(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	for range 20 {
		session, err := client.Open(ctx, OpenParams{Path: stored(t)})
		if err != nil {
			t.Fatal(err)
		}
		over := make(chan error)
		go func() {
			for {
				if _, err := session.LeafID(ctx); err != nil {
					over <- err
					return
				}
			}
		}()
		if err := session.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := <-over; !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

func TestTheFirstListenerHearsTheChangesSinceTheOpening(t *testing.T) {
	client := started(t, changing(t, "session/open"))
	ctx := soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan SessionDidChangeParams, 10)
	client.OnSessionDidChange(func(change SessionDidChangeParams) { told <- change })
	writing, err := client.Open(ctx, OpenParams{Path: *session.Opened.SessionFile})
	if err != nil {
		t.Fatal(err)
	}
	appended, err := writing.AppendMessage(ctx, said("x"))
	if err != nil {
		t.Fatal(err)
	}
	for change := range told {
		if change.Session == session.Handle() && change.Entries[0].ID == appended.ID {
			break
		}
	}
	changes := session.Changes(ctx)
	for _, id := range []string{"changed", appended.ID} {
		if change := <-changes; change.Entries[0].ID != id {
			t.Errorf("got %+v instead of the change of %s", change, id)
		}
	}
}

func TestAChannelKeepsTheLatestChangesOnly(t *testing.T) {
	changes := newFeed[int]()
	for i := range changesLimit + 1 {
		changes.add(i)
	}
	changes.end()
	next := 1
	for change := range changes.values {
		if change != next {
			t.Fatalf("got %d instead of %d", change, next)
		}
		next++
	}
	if next != changesLimit+1 {
		t.Errorf("%d is the last", next-1)
	}
}

func TestIteratorsReadAllPages(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	cwd := t.TempDir()
	var session *Session
	for range 3 {
		var err error
		if session, err = client.Create(ctx, CreateParams{Cwd: cwd}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := session.AppendMessage(ctx, said("needle")); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries := map[string]bool{}
	for entry, err := range session.AllEntries(ctx, EntriesParams{Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		entries[string(entry.JSON())] = true
	}
	if len(entries) != 3 {
		t.Errorf("got %d entries", len(entries))
	}
	paths := map[string]bool{}
	all := 0
	for _, err := range client.AllSessions(ctx, ListParams{}) {
		if all++; err != nil {
			t.Fatal(err)
		}
	}
	if all != 3 {
		t.Errorf("got %d sessions", all)
	}
	list := client.AllSessions(ctx, ListParams{Cwd: cwd, Limit: 1})
	for range 2 { // an iterator can be used again
		for info, err := range list {
			if err != nil {
				t.Fatal(err)
			}
			paths[info.Path] = true
		}
	}
	if len(paths) != 3 {
		t.Errorf("got %v", paths)
	}
	requests := func() int64 {
		t.Helper()
		status, err := client.DaemonStatus(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return status.Requests
	}
	before := requests()
	for range list {
		break
	}
	if count := requests() - before; count != 2 { // one page, and the status itself
		t.Errorf("%d requests for one page", count-1)
	}
	found := map[string]bool{}
	for hit, err := range client.AllMatches(ctx, CatalogSearchParams{Query: "needle", Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		found[hit.Info.Path] = true
	}
	if len(found) != 3 {
		t.Errorf("got %v", found)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, err := range list {
		if count++; !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
	if count != 1 {
		t.Errorf("an error was yielded %d times", count)
	}
}

func TestASessionWhoseFileIsGoneAfterACrashIsLost(t *testing.T) {
	reports := make(chan Reconnection, 1)
	client := started(t, Options{OnReconnected: func(r Reconnection) { reports <- r }})
	ctx := soon(t)
	gone, kept := stored(t), stored(t)
	lost, err := client.Open(ctx, OpenParams{Path: gone})
	if err != nil {
		t.Fatal(err)
	}
	here, err := client.Open(ctx, OpenParams{Path: kept})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := here.Branch(ctx, BranchParams{EntryID: "u1"}); err != nil {
		t.Fatal(err)
	}
	changes := lost.Changes(ctx)
	reconnected := here.Changes(ctx)
	client.mu.Lock()
	client.link.process.Process.Kill() // before the removal can be noticed
	client.mu.Unlock()
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	report := <-reports
	if report.Lost[lost.Handle()] == nil || report.Lost[here.Handle()] != nil {
		t.Errorf("got %+v", report)
	}
	if change := <-changes; change.Kind != Lost || !errors.Is(change.Err, ErrSessionLost) ||
		!errors.Is(change.Err, KindSessionNotFound) || !errors.Is(lost.Err(), ErrSessionLost) {
		t.Errorf("got %+v", change)
	}
	if change, open := <-changes; open {
		t.Errorf("got %+v after the end", change)
	}
	change := <-reconnected
	if change.Kind != Reconnected || change.State.Session != here.Handle() || *change.LeafID != "u1" || change.Path != kept {
		t.Errorf("got %+v", change)
	}
	if _, err := lost.AppendMessage(ctx, said("x")); !errors.Is(err, ErrSessionLost) {
		t.Errorf("got %v", err)
	}
	status, err := client.DaemonStatus(ctx)
	if err != nil || status.OpenSessions != 1 {
		t.Errorf("an orphan session is open: %+v, %v", status, err)
	}
	if names, _ := filepath.Glob(filepath.Dir(gone) + "/*"); len(names) != 0 {
		t.Errorf("got %v", names)
	}
}

func TestAnyValuePassesBothWaysToTheByte(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	path := stored(t)
	session, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	values := []string{
		`{"cut":"\ud83d here \uDE00","n":123456789012345678901234567890,"small":1E-7,"zero":-0,"f":1.0 , "s" : [ ] }`,
		`{"esc":"\u00e9\/\u0041é","twice":1,"twice":2,"z":0,"a":0}`,
		`{"jsonrpc":"2.0","id":1,"method":"exit","params":{}}`,
		strings.Repeat("[", 400) + strings.Repeat("]", 400),
		`"` + strings.Repeat("0123456789abcdef", 65536) + `"`,
	}
	for number, value := range values {
		id := fmt.Sprintf(`ä "quoted" \ 😀 %d`, number)
		params := AppendCustomEntryParams{CustomType: "c", NewEntryID: id, Data: json.RawMessage(value)}
		if appended, err := session.AppendCustomEntry(ctx, params); err != nil || appended.ID != id {
			t.Fatalf("got %v, %v", appended, err)
		}
		found, err := session.Entry(ctx, EntryParams{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if entry, ok := found.Entry.(*CustomEntry); !ok || string(entry.Data) != value {
			t.Errorf("got %.200s for %.200s", found.Entry.JSON(), value)
		}
		if file, err := os.ReadFile(path); err != nil || !strings.Contains(string(file), value) {
			t.Errorf("the file has no %.200s: %v", value, err)
		}
	}
	deeper := json.RawMessage(strings.Repeat("[", 600) + strings.Repeat("]", 600))
	_, err = session.AppendCustomEntry(ctx, AppendCustomEntryParams{CustomType: "c", Data: deeper})
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != -32600 {
		t.Errorf("got %v", err)
	}
}
