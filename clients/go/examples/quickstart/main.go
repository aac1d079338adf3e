// Command quickstart opens the latest session of this folder, or a new one, appends a message, and
// shows the conversation.
package main

import (
	"context"
	"fmt"
	"log"

	"sessiond"
)

func main() {
	ctx := context.Background()
	client, err := sessiond.Start(ctx, sessiond.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	session, err := client.ContinueRecent(ctx, sessiond.ContinueRecentParams{Cwd: "."})
	if err != nil {
		log.Fatal(err)
	}
	_, err = session.AppendMessage(ctx, sessiond.AppendMessageParams{Message: sessiond.UserText("hello")})
	if err != nil {
		log.Fatal(err)
	}
	for entry, err := range session.AllEntries(ctx, sessiond.EntriesParams{}) {
		if err != nil {
			log.Fatal(err)
		}
		if message, ok := entry.(*sessiond.SessionMessageEntry); ok {
			fmt.Println(message.Message.Tag(), string(message.Message.JSON()))
		}
	}
}
