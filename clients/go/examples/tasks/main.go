// Command tasks shows twelve things that programs do with sessions, each in a few lines.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"sessiond"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, folder string) error {
	client, err := sessiond.Start(ctx, sessiond.Options{})
	if err != nil {
		return err
	}
	defer client.Close()

	// List the sessions of a folder.
	listed := 0
	for _, err := range client.AllSessions(ctx, sessiond.ListParams{Cwd: folder}) {
		if err != nil {
			return err
		}
		listed++
	}
	fmt.Println("list:", listed)

	// Search in them.
	found := 0
	query := sessiond.CatalogSearchParams{Query: "hello", Cwd: folder}
	for _, err := range client.AllMatches(ctx, query) {
		if err != nil {
			return err
		}
		found++
	}
	fmt.Println("search:", found)

	// Open the latest.
	session, err := client.ContinueRecent(ctx, sessiond.ContinueRecentParams{Cwd: folder})
	if err != nil {
		return err
	}
	fmt.Println("open:", session.Opened.EntryCount)
	readTo := session.Tip()

	// Follow what others append.
	path := *session.Opened.SessionFile
	other, err := client.Open(ctx, sessiond.OpenParams{Path: path})
	if err != nil {
		return err
	}
	elsewhere := sessiond.AppendMessageParams{Message: sessiond.UserText("from elsewhere")}
	if _, err := other.AppendMessage(ctx, elsewhere); err != nil {
		return err
	}
	change := <-session.Changes(ctx)
	fmt.Println("follow:", change.Kind)

	// Append, unless somebody else has appended meanwhile.
	mine := sessiond.AppendMessageParams{Message: sessiond.UserText("mine")}
	mine.ExpectedTipID = readTo
	if _, err := session.AppendMessage(ctx, mine); errors.Is(err, sessiond.KindLeafConflict) {
		fmt.Println("append:", sessiond.KindLeafConflict)
		// Read what is new, and try again: the tip is current.
		mine.ExpectedTipID = session.Tip()
		again, err := session.AppendMessage(ctx, mine)
		if err != nil {
			return err
		}
		fmt.Println("again:", session.Tip() == sessiond.Some(again.ID))
	}

	// Go on from an earlier entry: the next append begins a branch.
	page, err := session.Entries(ctx, sessiond.EntriesParams{Limit: 1})
	if err != nil {
		return err
	}
	first := *page.Entries[0].EntryID()
	leaf, err := session.Branch(ctx, sessiond.BranchParams{EntryID: first})
	if err != nil {
		return err
	}
	fmt.Println("branch:", *leaf.LeafID == first)

	// Copy a branch into a session of its own.
	branch := sessiond.ForkFromParams{SourcePath: path, TargetCwd: folder, LeafID: first}
	fork, err := client.ForkFrom(ctx, branch)
	if err != nil {
		return err
	}
	fmt.Println("fork:", fork.Opened.EntryCount)

	// Label an entry.
	start := sessiond.AppendLabelChangeParams{TargetID: first, Label: "start"}
	if _, err := session.AppendLabelChange(ctx, start); err != nil {
		return err
	}
	label, err := session.Label(ctx, sessiond.EntryParams{ID: first})
	if err != nil {
		return err
	}
	fmt.Println("label:", *label.Label)

	// Name the session.
	called := sessiond.AppendSessionInfoParams{Name: "Greetings"}
	if _, err := session.AppendSessionInfo(ctx, called); err != nil {
		return err
	}
	name, err := session.SessionName(ctx)
	if err != nil {
		return err
	}
	fmt.Println("rename:", *name.Name)

	// Export it as Markdown, or as one HTML page.
	markdown := sessiond.ExportParams{Format: sessiond.ExportFormatMarkdown, Session: session.Handle()}
	exported, err := client.CatalogExport(ctx, markdown)
	if err != nil {
		return err
	}
	fmt.Println("export:", strings.Contains(*exported.Content, "hello"))

	// Add up tokens and costs.
	byModel := sessiond.CatalogUsageParams{Cwd: folder, By: sessiond.CatalogUsageByModel}
	usage, err := client.CatalogUsage(ctx, byModel)
	if err != nil {
		return err
	}
	fmt.Println("usage:", usage.SessionCount)

	// Nothing is to be done when the daemon ends: it is started again, with all that was open.
	before, err := session.LeafID(ctx)
	if err != nil {
		return err
	}
	status, err := client.DaemonStatus(ctx)
	if err != nil {
		return err
	}
	daemon, err := os.FindProcess(int(status.Pid))
	if err != nil {
		return err
	}
	if err := daemon.Kill(); err != nil {
		return err
	}
	after, err := session.LeafID(ctx)
	if err != nil {
		return err
	}
	fmt.Println("recover:", *after.LeafID == *before.LeafID)
	return nil
}
