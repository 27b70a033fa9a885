package devstack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Demo is the demo data, as `tokens-svc demo` writes it.
type Demo struct {
	Organization string // has shipments in every status but processing
	Token        string // of Organization, with all permissions
	Welcome      string // for people, with addresses, the sign-in and a token
}

// seed makes the demo data unless they are there, and fills Demo.
func (s *Stack) seed(ctx context.Context) error {
	s.say("storing   the demo data")
	if _, err := s.Program("shipments-svc").Run(ctx, nil, "demo"); err != nil {
		return fmt.Errorf("demo data: %w", err)
	}
	path := filepath.Join(s.opts.Dir, "demo.env")
	welcome, err := s.tokens(ctx, "demo", "--file", path, "--url", s.PublicURL)
	if err != nil {
		return fmt.Errorf("demo data: %w", err)
	}
	s.Demo.Welcome = string(welcome)
	env, err := os.ReadFile(path) //nolint:gosec // G304: our own file
	for line := range strings.Lines(string(env)) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name {
		case "QUAYSIDE_ORGANIZATION":
			s.Demo.Organization = value
		case "QUAYSIDE_TOKEN":
			s.Demo.Token = value
		}
	}
	return err
}
