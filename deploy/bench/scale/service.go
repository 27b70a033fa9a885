package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"path/filepath"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// build compiles the service of this tree, and migrates the database. The
// service is not started.
func build(ctx context.Context, s settings, dir, dsn string) (*devstack.Program, error) {
	bin, err := devstack.Build(ctx, s.root, s.race)
	if err != nil {
		return nil, err
	}
	addresses, err := devstack.FreeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	public, inner := addresses[0], addresses[1]
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	service := devstack.NewProgram(devstack.ProgramConfig{
		Name: "shipments-svc", Command: []string{filepath.Join(bin, "shipments-svc"), "serve"},
		Address: public, Inner: inner, LogDir: dir,
		Env: []string{
			"DATABASE_URL=" + dsn, "LISTEN_ADDRESS=" + public, "INNER_ADDRESS=" + inner,
			"DOCUMENTS_DIR=" + filepath.Join(dir, "documents"),
			"WEBHOOK_KEYS=1:" + base64.StdEncoding.EncodeToString(key),
			"QUAYSIDE_DEMO=true", // accepts identity headers without an assertion
		},
	})
	_, err = service.Run(ctx, nil, "migrate", "up")
	return service, err
}

// every calls done at an interval until it returns true or an error, or ctx ends.
func every(ctx context.Context, interval time.Duration, done func() (bool, error)) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
