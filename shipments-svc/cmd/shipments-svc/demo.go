package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"

	"github.com/quayside/quayside/shipments-svc/internal/config"
)

//go:embed demo/cape_fresh.json
var capeFresh []byte

//go:embed demo/valle_verde.json
var valleVerde []byte

// runDemo stores the shipments of the two organizations that `tokens-svc demo` makes. Their ids are fixed, so that a
// second run stores nothing.
func runDemo(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ)
	if err != nil {
		return err
	}
	if !cfg.Demo {
		_, err := fmt.Fprintln(p.stdout, "no demo data: QUAYSIDE_DEMO is not true")
		return err
	}
	for _, demo := range []struct {
		organization string
		shipments    []byte
	}{
		{"org_01m8404zpdf6tt1d0zer9d0tv8", capeFresh},
		{"org_01m8404zpdfg3s9tscegssfg2v", valleVerde},
	} {
		p.args, p.stdin = []string{"--organization", demo.organization}, bytes.NewReader(demo.shipments)
		if err := runSeed(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
