// One conversation with the daemon, with the Go client.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"sessiond"
)

func main() {
	ctx := context.Background()
	client, err := sessiond.Start(ctx, sessiond.Options{})
	check(err)
	defer client.Close()
	session, err := client.InMemory(ctx, sessiond.InMemoryParams{})
	check(err)
	message := sessiond.UserText("hello")
	_, err = session.AppendMessage(ctx, sessiond.AppendMessageParams{Message: message})
	check(err)
	built, err := session.BuildSessionContext(ctx, sessiond.BuildParams{})
	check(err)
	for _, each := range built.Messages {
		var told struct{ Role, Content string }
		check(json.Unmarshal(each.JSON(), &told))
		fmt.Printf("%s: %s\n", told.Role, told.Content)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
