package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type auditHeads struct{}

func (auditHeads) Help() string {
	return `Prints the head of every organization's audit log, one JSON object a line. Keep
the output out of reach of those with write access to the database, and pass it
back later:

    tokens-svc audit heads > heads.jsonl
    tokens-svc audit verify --heads heads.jsonl`
}

func (auditHeads) Run(ctx context.Context, p program) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		heads, err := s.AuditHeads(ctx)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if err := printJSON(p.stdout, h); err != nil {
				return err
			}
		}
		return nil
	})
}

// readHeads reads a file of audit heads, or standard input for "-".
func readHeads(p program, path string) ([]audit.Head, error) {
	in := p.stdin
	if path != "-" {
		file, err := os.Open(path) //nolint:gosec // G304: the operator names the file
		if err != nil {
			return nil, fmt.Errorf("--heads: %w", err)
		}
		defer func() { _ = file.Close() }()
		in = io.Reader(file)
	}
	heads, err := audit.ReadHeads(in)
	if err != nil {
		return nil, fmt.Errorf("--heads %s: %w", path, err)
	}
	return heads, nil
}

// headInterval is how often serve logs the heads that changed.
const headInterval = time.Hour

// logHeads writes the heads of the audit logs to the program's log, which is
// kept outside the database: all of them at the start, and then those that
// changed.
func logHeads(ctx context.Context, s *tokens.Service, log *slog.Logger) {
	logged := map[string]audit.Head{}
	write := func(ctx context.Context) {
		heads, err := s.AuditHeads(ctx)
		if err != nil {
			log.WarnContext(ctx, "audit heads were not read", "error", err)
			return
		}
		for _, h := range heads {
			if logged[h.Organization] == h {
				continue
			}
			log.InfoContext(ctx, "audit head", "organization", h.Organization, "sequence", h.Sequence, "hash", h.Hash.String())
			logged[h.Organization] = h
		}
	}
	write(ctx)
	every(ctx, headInterval, write)
}
