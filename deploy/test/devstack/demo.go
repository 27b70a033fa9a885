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
	Organization string // has shipments in every status
	Token        string // of Organization, with all permissions
	User         string // e-mail of an owner of Organization, who is a member of the other
	Password     string // of User
}

// seed makes the demo data unless they are there, and fills Demo.
func (s *Stack) seed(ctx context.Context) error {
	path := filepath.Join(s.opts.Dir, "demo.env")
	for name, args := range map[string][]string{
		"tokens-svc": {"demo", "--file", path, "--url", s.URL}, "shipments-svc": {"demo"},
	} {
		if _, err := s.Program(name).Run(ctx, nil, args...); err != nil {
			return fmt.Errorf("demo data: %w", err)
		}
	}
	text, err := os.ReadFile(path) //nolint:gosec // G304: our own file
	s.Demo = readDemo(string(text))
	return err
}

func readDemo(env string) Demo {
	vars := map[string]string{}
	for line := range strings.Lines(env) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		vars[name] = value
	}
	return Demo{
		Organization: vars["QUAYSIDE_ORGANIZATION"],
		Token:        vars["QUAYSIDE_TOKEN"],
		User:         vars["QUAYSIDE_USER"],
		Password:     vars["QUAYSIDE_PASSWORD"],
	}
}
