// Command bench measures the client, for dev/bench/clients.py in the repository.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"sessiond"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := sessiond.Start(ctx, sessiond.Options{})
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := client.Open(ctx, sessiond.OpenParams{Path: os.Getenv("SESSION")})
	if err != nil {
		return err
	}
	small, err := median(200, 2000, func() error {
		_, err := session.LeafID(ctx)
		return err
	})
	if err != nil {
		return err
	}
	params := json.RawMessage(fmt.Sprintf(`{"session":%q}`, session.Handle()))
	text, err := median(1, 5, func() error {
		_, err := client.Call(ctx, "session/getEntries", params)
		return err
	})
	if err != nil {
		return err
	}
	entries := 0
	values, err := median(1, 5, func() error {
		result, err := session.Entries(ctx, sessiond.EntriesParams{})
		if err == nil {
			entries = len(result.Entries)
		}
		return err
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"entries": entries, "small": small, "text": text, "values": values,
	})
}

// median returns the median in seconds.
func median(warm, count int, ask func() error) (float64, error) {
	var taken []float64
	for range warm + count {
		start := time.Now()
		if err := ask(); err != nil {
			return 0, err
		}
		taken = append(taken, time.Since(start).Seconds())
	}
	taken = taken[warm:]
	slices.Sort(taken)
	return taken[count/2], nil
}
