// Command sessions lists the sessions of a folder, appends a message to the latest one, and shows what
// others append to it until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	"sessiond"
)

func main() {
	folder := flag.String("folder", ".", "working directory whose sessions are shown")
	say := flag.String("say", "", "message to append to the latest session")
	watch := flag.Bool("watch", false, "show what others append, until Ctrl-C")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *folder, *say, *watch); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, folder, say string, watch bool) error {
	client, err := sessiond.Start(ctx, sessiond.Options{})
	if err != nil {
		return err
	}
	defer client.Close()
	list, err := client.SessionList(ctx, sessiond.ListParams{Cwd: folder})
	if err != nil {
		return err
	}
	for _, info := range list.Sessions {
		fmt.Printf("%s  %3d messages  %s\n", info.Modified, info.MessageCount, info.FirstMessage)
	}
	if len(list.Sessions) == 0 {
		fmt.Println("no sessions yet")
	}
	session, err := client.ContinueRecent(ctx, sessiond.ContinueRecentParams{Cwd: folder})
	if err != nil {
		return err
	}
	changes := session.Changes(ctx)
	if say != "" {
		message := sessiond.UserText(say)
		added, err := session.AppendMessage(ctx, sessiond.AppendMessageParams{Message: message})
		if err != nil {
			return err
		}
		fmt.Println("appended, written:", added.Written)
	}
	if !watch {
		return nil
	}
	for change := range changes {
		for _, entry := range change.Entries {
			fmt.Println(entry.Timestamp, entry.Type, entry.ID)
		}
	}
	return nil
}
