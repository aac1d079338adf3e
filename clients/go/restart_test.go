//go:build unix

package sessiond

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain can run the test binary as a proxy of the daemon: it passes everything on to the real one,
// which it kills when a certain method has been answered, and drops that answer.
func TestMain(m *testing.M) {
	if real := os.Getenv("SESSIOND_TEST_REAL"); real != "" {
		proxy(real, os.Getenv("SESSIOND_TEST_DIES_AFTER"))
	}
	if err := setDaemon(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func proxy(path, method string) {
	if path := os.Getenv("SESSIOND_TEST_STARTS"); path != "" {
		noteStart(path)
	}
	real := exec.Command(path, os.Args[1:]...)
	stdin, _ := real.StdinPipe()
	stdout, _ := real.StdoutPipe()
	if real.Start() != nil {
		os.Exit(3)
	}
	ours, theirs := textproto.NewReader(bufio.NewReader(os.Stdin)), textproto.NewReader(bufio.NewReader(stdout))
	once := os.Getenv("SESSIOND_TEST_ONCE")
	fatal := make(chan string, 100)
	go func() {
		defer stdin.Close()
		for {
			body, err := readFrame(ours)
			if err != nil {
				return
			}
			if memberOf[string](body, "method") == method {
				if file, err := os.OpenFile(once, os.O_CREATE|os.O_EXCL, 0o600); err == nil || once == "" {
					file.Close()
					fatal <- string(memberOf[json.RawMessage](body, "id"))
				}
			}
			if writeFrame(stdin, body) != nil {
				return
			}
		}
	}()
	id := "none"
	for {
		body, err := readFrame(theirs)
		if err != nil {
			break
		}
		select {
		case id = <-fatal:
		default:
		}
		if string(memberOf[json.RawMessage](body, "id")) == id {
			_ = real.Process.Kill()
			os.Exit(4)
		}
		_ = writeFrame(os.Stdout, body)
	}
	_ = real.Wait()
	os.Exit(real.ProcessState.ExitCode())
}

// noteStart appends one dot to a file.
func noteStart(path string) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(3)
	}
	_, _ = file.WriteString(".")
	_ = file.Close()
}

// dying returns options for a daemon that dies instead of answering a method.
func dying(t *testing.T, method string, once bool) Options {
	t.Helper()
	options := proxied(t, "SESSIOND_TEST_DIES_AFTER="+method)
	if once {
		options.Env = append(options.Env, "SESSIOND_TEST_ONCE="+t.TempDir()+"/died")
	}
	return options
}

// proxied returns options for a daemon behind the proxy of TestMain.
func proxied(t *testing.T, setting string) Options {
	t.Helper()
	real, err := daemonPath("")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Path: self, Env: append(os.Environ(), "SESSIOND_TEST_REAL="+real, setting)}
}

func signal(t *testing.T, client *Client, signal syscall.Signal) {
	t.Helper()
	client.mu.Lock()
	process := client.link.process.Process
	client.mu.Unlock()
	if err := process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// kill kills the daemon and waits until another is there.
func kill(t *testing.T, client *Client) {
	t.Helper()
	client.mu.Lock()
	old := client.link
	client.mu.Unlock()
	old.kill()
	for current := old; current == old; {
		client.mu.Lock()
		current = client.link
		client.mu.Unlock()
	}
}

func leafOf(t *testing.T, session *Session) string {
	t.Helper()
	leaf, err := session.LeafID(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if leaf.LeafID == nil {
		return "none"
	}
	return *leaf.LeafID
}

func TestSessionsOutliveADaemonThatIsKilled(t *testing.T) {
	restarts := make(chan Reconnection, 1)
	client := started(t, Options{OnReconnected: func(r Reconnection) { restarts <- r }})
	ctx := soon(t)
	open := func(params OpenParams) *Session {
		t.Helper()
		session, err := client.Open(ctx, params)
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	closed := open(OpenParams{Path: stored(t)})
	path := stored(t)
	branched := open(OpenParams{Path: path})
	reset := open(OpenParams{Path: path})
	reading := open(OpenParams{Path: path, ReadOnly: true})
	following := open(OpenParams{Path: path, Follow: true})
	back := open(OpenParams{Path: path, Follow: true})
	memory, err := client.InMemory(ctx, InMemoryParams{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := branched.Branch(ctx, BranchParams{EntryID: "u1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := back.Branch(ctx, BranchParams{EntryID: "u1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := reset.ResetLeaf(ctx); err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(ctx); err != nil {
		t.Fatal(err)
	}

	kill(t, client)

	if leaf := leafOf(t, branched); leaf != "u1" {
		t.Errorf("the leaf is %s", leaf)
	}
	// It had followed the file until it went back.
	if leaf := leafOf(t, back); leaf != "u1" {
		t.Errorf("the leaf is %s", leaf)
	}
	if leaf := leafOf(t, reset); leaf != "none" {
		t.Errorf("the leaf is %s", leaf)
	}
	if _, err := reading.AppendMessage(ctx, said("x")); !errors.Is(err, KindReadOnly) {
		t.Errorf("got %v", err)
	}
	added, err := branched.AppendMessage(ctx, said("after"))
	if err != nil || *added.ParentID != "u1" {
		t.Fatalf("got %+v, %v", added, err)
	}
	if leaf := leafOf(t, following); leaf != added.ID {
		t.Errorf("the leaf is %s", leaf)
	}
	if _, err := memory.State(ctx); !errors.Is(err, ErrSessionLost) {
		t.Errorf("got %v", err)
	}
	state, err := reset.State(ctx)
	if err != nil || state.Session != reset.Handle() {
		t.Errorf("got %+v, %v", state, err)
	}
	fresh := open(OpenParams{Path: stored(t)})
	for _, old := range []*Session{closed, branched, reset, reading, following, back, memory} {
		if fresh.Handle() == old.Handle() {
			t.Errorf("handle %s stands for two sessions", fresh.Handle())
		}
	}
	if restart := <-restarts; len(restart.Lost) != 1 || restart.Lost[memory.Handle()] == nil {
		t.Errorf("got %+v", restart)
	}
}

func TestAClosedSessionDoesNotBecomeAnotherAfterARestart(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	closed, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	path := stored(t)
	open, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(ctx); err != nil {
		t.Fatal(err)
	}
	kill(t, client)
	if _, err := closed.AppendMessage(ctx, said("misplaced")); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := closed.Close(ctx); err != nil {
		t.Errorf("got %v", err)
	}
	params := said("misplaced")
	params.Session = closed.Handle()
	if _, err := client.SessionAppendMessage(ctx, params); !errors.Is(err, KindUnknownSession) {
		t.Errorf("got %v", err)
	}
	if err := client.SessionClose(ctx, SessionParams{Session: closed.Handle()}); err != nil {
		t.Errorf("got %v", err)
	}
	if leaf := leafOf(t, open); leaf != "a1" {
		t.Errorf("the leaf is %s", leaf)
	}
	if content, _ := os.ReadFile(path); strings.Contains(string(content), "misplaced") {
		t.Errorf("the append is in the file of another session:\n%s", content)
	}
}

func TestAppendsOfClientsThatShareADaemonAreInTheFileOnceEach(t *testing.T) {
	const clients, appends = 5, 20
	path := stored(t)
	runtime := socketDirectory(t)
	env := append(os.Environ(), "XDG_RUNTIME_DIR="+runtime, "SESSIOND_IDLE_EXIT=0.1")
	ctx := soon(t)
	acknowledged := make(chan int, clients*appends)
	failed := make(chan error, clients)
	var writing sync.WaitGroup
	for number := range clients {
		client := started(t, Options{Shared: true, Env: env})
		session, err := client.Open(ctx, OpenParams{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		writing.Add(1)
		go func() {
			defer writing.Done()
			for count := range appends {
				text := fmt.Sprintf("%d-%d", number, count)
				if _, err := session.AppendMessage(ctx, said(text)); err != nil {
					failed <- err
					return
				}
				acknowledged <- count
			}
		}()
	}
	killer := started(t, Options{Shared: true, Env: env})
	for range 2 {
		for range clients * appends / 3 {
			select {
			case <-acknowledged:
			case err := <-failed:
				t.Fatal(err)
			}
		}
		status, err := killer.DaemonStatus(ctx)
		if err != nil || !status.Shared {
			t.Fatalf("got %+v, %v", status, err)
		}
		if err := syscall.Kill(int(status.Pid), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	writing.Wait()
	close(failed)
	for err := range failed {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for number := range clients {
		for count := range appends {
			said := fmt.Sprintf(`"content":"%d-%d"`, number, count)
			if found := strings.Count(string(text), said); found != 1 {
				t.Errorf("%s is in the file %d times", said, found)
			}
		}
	}
	if lines := strings.Count(string(text), "\n"); lines != 3+clients*appends {
		t.Errorf("the file has %d lines", lines)
	}
}

func TestAnAppendThatWasDoneButNotAnsweredIsDoneOnce(t *testing.T) {
	client := started(t, dying(t, "session/appendMessage", true))
	ctx := soon(t)
	path := stored(t)
	session, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	first, err := session.AppendMessage(ctx, said("once"))
	if err != nil || *first.ParentID != "a1" {
		t.Fatalf("got %+v, %v", first, err)
	}
	second, err := session.AppendMessage(ctx, said("more"))
	if err != nil || *second.ParentID != first.ID {
		t.Fatalf("got %+v, %v", second, err)
	}
	content, _ := os.ReadFile(path)
	if count := strings.Count(string(content), `"once"`); count != 1 {
		t.Errorf("it is there %d times:\n%s", count, content)
	}
}

func TestACallThatCreatesIsNotAskedAgain(t *testing.T) {
	client := started(t, dying(t, "session/create", true))
	ctx := soon(t)
	if _, err := client.Create(ctx, CreateParams{Cwd: "/w"}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v", err)
	}
	if _, err := client.Create(ctx, CreateParams{Cwd: "/w"}); err != nil {
		t.Error(err)
	}
}

func TestReadsInFlightAreAskedAgain(t *testing.T) {
	client := started(t, dying(t, "session/getEntries", true))
	ctx := soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := session.Entries(ctx, EntriesParams{})
	if err != nil || len(answer.Entries) != 2 {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestADaemonThatKeepsDyingIsGivenUp(t *testing.T) {
	options := dying(t, "session/getState", false)
	starts := t.TempDir() + "/starts"
	options.Env = append(options.Env, "SESSIOND_TEST_STARTS="+starts)
	lost := make(chan error, 1)
	options.OnLost = func(err error) { lost <- err }
	client := started(t, options)
	ctx := soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := session.State(ctx); !errors.Is(err, ErrGaveUp) {
			t.Errorf("got %v", err)
		}
	}
	if err := <-lost; !errors.Is(err, ErrGaveUp) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(starts); err != nil || string(text) != "..." {
		t.Errorf("started %q times, %v", text, err)
	}
}

func TestUnwrittenEntriesAreLostAndSaidToBe(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	session, err := client.Create(ctx, CreateParams{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.AppendSessionInfo(ctx, AppendSessionInfoParams{Name: "n"}); err != nil {
		t.Fatal(err)
	}
	kill(t, client)
	if _, err := session.State(ctx); !errors.Is(err, ErrSessionLost) {
		t.Errorf("got %v", err)
	}
}

func TestASessionWhoseFileIsAnotherSessionAfterACrashIsLost(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	path := stored(t)
	session, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	signal(t, client, syscall.SIGSTOP)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), `"id":"stored"`, `"id":"other"`, 1)
	if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	kill(t, client)
	if _, err := session.Entries(ctx, EntriesParams{}); !errors.Is(err, ErrSessionLost) || !strings.Contains(err.Error(), "another session") {
		t.Errorf("got %v", err)
	}
	if status, err := client.DaemonStatus(ctx); err != nil || status.OpenSessions != 0 {
		t.Errorf("got %+v, %v", status, err)
	}
}

func TestAReconnectionIsOneOfTheChanges(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	path := stored(t)
	session, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	changes := session.Changes(ctx)
	write := func() {
		other, err := client.Open(ctx, OpenParams{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.AppendMessage(ctx, said("x")); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if change := <-changes; change.Sequence != 1 {
		t.Errorf("got %+v", change)
	}
	kill(t, client)
	if change := <-changes; change.Kind != Reconnected || change.State.EntryCount != 3 {
		t.Errorf("got %+v", change)
	}
	write()
	if change := <-changes; change.Sequence != 1 || change.Session != session.Handle() {
		t.Errorf("got %+v", change)
	}
}

func TestSubscriptionsOutliveTheDaemon(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	heard := make(chan CatalogDidChangeParams, 10)
	client.OnCatalogDidChange(func(change CatalogDidChangeParams) { heard <- change })
	cwd := t.TempDir()
	snapshot, err := client.CatalogSubscribe(ctx, CatalogSubscribeParams{Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	kill(t, client)
	session, err := client.Create(ctx, CreateParams{Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.AppendMessage(ctx, said("x")); err != nil {
		t.Fatal(err)
	}
	select {
	case change := <-heard:
		if change.Subscription != snapshot.Subscription || change.Sequence != snapshot.Sequence+1 {
			t.Errorf("got %+v after %d", change, snapshot.Sequence)
		}
	case <-ctx.Done():
		t.Error("nothing was heard")
	}
}

func TestASubscriptionHasANewSnapshotAfterACrash(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	cwd := t.TempDir()
	watch, err := client.WatchCatalog(ctx, CatalogSubscribeParams{Cwd: cwd})
	if err != nil || len(watch.Snapshot.Sessions) != 0 {
		t.Fatalf("got %+v, %v", watch, err)
	}
	create := func() {
		t.Helper()
		session, err := client.Create(ctx, CreateParams{Cwd: cwd})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.AppendMessage(ctx, said("x")); err != nil {
			t.Fatal(err)
		}
	}
	create()
	if event := <-watch.Events; event.Kind != Changed || event.Change.Changes[0].Kind != CatalogChangeKindAdded {
		t.Errorf("got %+v", event)
	}
	kill(t, client)
	event := <-watch.Events
	for event.Kind == Changed { // of the first session, before the crash
		event = <-watch.Events
	}
	if event.Kind != Reconnected || len(event.Snapshot.Sessions) != 1 {
		t.Errorf("got %+v", event)
	}
	if err := watch.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for range watch.Events {
		// until it is closed
	}
}

func TestAChangeRightAfterARestartFollowsTheNewState(t *testing.T) {
	client := started(t, changing(t, "session/open"))
	ctx := soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Branch(ctx, BranchParams{EntryID: "u1"}); err != nil {
		t.Fatal(err)
	}
	changes := session.Changes(ctx)
	<-changes
	kill(t, client)
	if change := <-changes; change.Kind != Reconnected || change.State.EntryCount != 2 {
		t.Errorf("got %+v", change)
	}
	if change := <-changes; change.Kind != Appended || change.EntryCount != 3 {
		t.Errorf("got %+v", change)
	}
	leafOf(t, session)
	kill(t, client)
	if leaf := leafOf(t, session); leaf != "u1" {
		t.Errorf("the leaf is %s", leaf)
	}
}

func TestANotificationThatIsNotKnownMovesNoLeafAndIsNoChange(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	changes := session.Changes(ctx)
	params := json.RawMessage(`{"session":` + string(quoted(session.Handle())) + `}`)
	client.hear(message{Method: "session/addedLater", Params: params})
	kill(t, client)
	if change := <-changes; change.Kind != Reconnected {
		t.Errorf("got %+v", change)
	}
	if leaf := leafOf(t, session); leaf != "a1" {
		t.Errorf("the leaf is %s", leaf)
	}
}

func TestAnEndedContextCancelsAndLeavesNoHandleBehind(t *testing.T) {
	client := started(t, Options{})
	signal(t, client, syscall.SIGSTOP)
	ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer stop()
	_, err := client.Open(ctx, OpenParams{Path: stored(t)})
	signal(t, client, syscall.SIGCONT)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	status, err := client.DaemonStatus(soon(t))
	for err == nil && status.OpenSessions != 0 && status.Requests < 100 {
		status, err = client.DaemonStatus(soon(t))
	}
	if err != nil || status.OpenSessions != 0 {
		t.Errorf("got %+v, %v", status, err)
	}
}

// A cancellation and the answer can pass each other on their way.
func TestWhatACancelledCallOpenedIsClosed(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	before, err := client.DaemonStatus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for method, params := range map[string]string{
		"session/open":      `{"path":` + string(quoted(stored(t))) + `}`,
		"session/inMemory":  `{}`,
		"catalog/subscribe": `{"cwd":` + string(quoted(t.TempDir())) + `}`,
	} {
		r, err := newRequest(method, json.RawMessage(params))
		if err != nil {
			t.Fatal(err)
		}
		r.abandoned = true
		if err := client.submit(r); err != nil {
			t.Fatal(err)
		}
		if answer := <-r.done; answer.err != nil {
			t.Fatal(answer.err)
		}
	}
	open := func(status *StatusResult) bool {
		return status.OpenSessions != 0 || status.Watch.Directories != before.Watch.Directories
	}
	status, err := client.DaemonStatus(ctx)
	for err == nil && open(status) {
		status, err = client.DaemonStatus(ctx)
	}
	if err != nil {
		t.Errorf("a handle is open: %v", err)
	}
	client.mu.Lock()
	defer client.mu.Unlock()
	if len(client.handles) != 0 {
		t.Errorf("kept %v", client.handles)
	}
}

// hanging returns a program that is the daemon when it is first started, and later hangs.
func hanging(t *testing.T) string {
	t.Helper()
	real, err := daemonPath("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nif mkdir %q 2>/dev/null; then exec %q \"$@\"; fi\nexec sleep 60\n", dir+"/once", real)
	if err := os.WriteFile(dir+"/daemon", []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir + "/daemon"
}

func TestADeadlineHoldsWhileTheDaemonIsStartedAgain(t *testing.T) {
	client := started(t, Options{Path: hanging(t)})
	kill(t, client)
	ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer stop()
	if _, err := client.DaemonStatus(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- client.Close() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Error("Close hangs")
	}
	select {
	case <-client.over:
	case <-time.After(30 * time.Second):
		t.Error("the daemon that was being started is still there")
	}
}

func TestAStuckDaemonIsKilledOnClose(t *testing.T) {
	client := started(t, Options{})
	signal(t, client, syscall.SIGSTOP)
	ctx, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- client.Shutdown(ctx) }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("nothing was said of it")
		}
	case <-time.After(30 * time.Second):
		t.Error("Close hangs")
	}
}
