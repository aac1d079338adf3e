// Command append appends to a session until a file exists, and prints each id: append FILE NAME END.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"sessiond"
)

func main() {
	path, name, end := os.Args[1], os.Args[2], os.Args[3]
	ctx := context.Background()
	client, err := sessiond.Start(ctx, sessiond.Options{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := client.Open(ctx, sessiond.OpenParams{Path: path})
	for err != nil {
		// Whether it was opened is unknown if the daemon ended meanwhile.
		log.Print(err)
		session, err = client.Open(ctx, sessiond.OpenParams{Path: path})
	}
	for number := 0; !exists(end); number++ {
		message := sessiond.UserText(fmt.Sprintf("%s %d", name, number))
		added, err := session.AppendMessage(ctx, sessiond.AppendMessageParams{Message: message})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(added.ID)
	}
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
