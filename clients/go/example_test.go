package sessiond_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sessiond"
)

// scratch returns options for a temporary agent directory with one session of the folder /w.
func scratch() (options sessiond.Options, path string, remove func()) {
	dir, err := os.MkdirTemp("", "sessiond-example")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "sessions", "--w--", "s.jsonl")
	lines := `{"type":"session","version":3,"id":"s","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2025-06-01T10:00:01.000Z","message":{"role":"user","content":"hello"}}
`
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, []byte(lines), 0o600) != nil {
		log.Fatal("cannot write the session")
	}
	return sessiond.Options{Args: []string{"--agent-dir", dir}}, path, func() { os.RemoveAll(dir) }
}

// List the sessions of a folder, open one, append an entry, and read what others append.
func Example() {
	options, path, remove := scratch()
	defer remove()
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()

	client, err := sessiond.Start(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	list, err := client.SessionList(ctx, sessiond.ListParams{Cwd: "/w"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(list.Sessions), "session:", list.Sessions[0].FirstMessage)

	session, err := client.Open(ctx, sessiond.OpenParams{Path: list.Sessions[0].Path, Follow: true})
	if err != nil {
		log.Fatal(err)
	}
	changes := session.Changes(ctx)
	message := sessiond.UserText("from here")
	added, err := session.AppendMessage(ctx, sessiond.AppendMessageParams{Message: message})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("under", *added.ParentID)

	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(file, `{"type":"label","id":"l1","parentId":%q,"timestamp":"2025-06-01T10:00:09.000Z","targetId":"u1","label":"x"}`+"\n", added.ID)
	file.Close()
	change := <-changes
	fmt.Println(change.Kind, change.Entries[0].Type, *change.LeafID)
	// Output:
	// 1 session: hello
	// under u1
	// appended label l1
}

// A type switch on entries; unknown entries keep their JSON.
func ExampleSession_BranchEntries() {
	options, path, remove := scratch()
	defer remove()
	ctx := context.Background()
	client, err := sessiond.Start(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	session, err := client.Open(ctx, sessiond.OpenParams{Path: path})
	if err != nil {
		log.Fatal(err)
	}
	_, err = session.AppendCustomEntry(ctx, sessiond.AppendCustomEntryParams{
		CustomType: "example", Data: json.RawMessage(`{"exact":1e400}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	branch, err := session.BranchEntries(ctx, sessiond.BranchEntriesParams{})
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range branch.Entries {
		switch entry := entry.(type) {
		case *sessiond.SessionMessageEntry:
			fmt.Println(entry.ID, entry.Message.Tag())
		case *sessiond.CustomEntry:
			fmt.Println(entry.CustomType, string(entry.Data))
		default:
			fmt.Println(entry.Tag(), string(entry.JSON()))
		}
	}
	// Output:
	// u1 user
	// example {"exact":1e400}
}

// Iterators request page after page.
func ExampleClient_AllSessions() {
	options, _, remove := scratch()
	defer remove()
	ctx := context.Background()
	client, err := sessiond.Start(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for info, err := range client.AllSessions(ctx, sessiond.ListParams{Cwd: "/w"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.ID, info.MessageCount, info.FirstMessage)
	}
	// Output: s 1 hello
}

// A summary that is empty is not the same as none.
func ExamplePtr() {
	params, err := json.Marshal(sessiond.FinishBranchSummaryParams{Session: "s", TargetID: "t", Summary: sessiond.Ptr("")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(params))
	// Output: {"session":"s","targetId":"t","summary":""}
}

// An append can require that no other program has written meanwhile.
func ExampleLeafConflictError() {
	options, path, remove := scratch()
	defer remove()
	ctx := context.Background()
	client, err := sessiond.Start(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	session, err := client.Open(ctx, sessiond.OpenParams{Path: path})
	if err != nil {
		log.Fatal(err)
	}
	_, err = session.AppendSessionInfo(ctx, sessiond.AppendSessionInfoParams{
		Name: "mine", ExpectedTipID: sessiond.Null[string](),
	})
	var conflict *sessiond.LeafConflictError
	if errors.As(err, &conflict) {
		fmt.Println("the last entry is", *conflict.TipID)
	}
	// Output: the last entry is u1
}

// The quick start of the README works in a folder without sessions.
func TestTheQuickStartRuns(t *testing.T) {
	program, err := os.ReadFile("examples/quickstart/main.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, code, _ := strings.Cut(string(program), "package main"); !strings.Contains(string(readme), "package main"+code+"```") {
		t.Error("the README shows another program than examples/quickstart")
	}
	binary := filepath.Join(t.TempDir(), "quickstart")
	if out, err := exec.Command("go", "build", "-o", binary, "./examples/quickstart").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := exec.Command(binary)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "SESSIOND_AGENT_DIR="+t.TempDir())
	out, err := command.CombinedOutput()
	if want := "user {\"role\":\"user\",\"content\":\"hello\""; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheExampleProgramRuns(t *testing.T) {
	options, _, remove := scratch()
	defer remove()
	command := exec.Command("go", "run", "./examples/sessions", "-folder", "/w", "-say", "from the example")
	command.Env = append(os.Environ(), "SESSIOND_AGENT_DIR="+options.Args[1])
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "hello") || !strings.Contains(string(out), "written: true") {
		t.Errorf("%v\n%s", err, out)
	}
}
