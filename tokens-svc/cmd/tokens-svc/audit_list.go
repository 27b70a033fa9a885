package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type auditList struct {
	Organization orgID    `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Limit        positive `default:"50" help:"Number of events."`
	JSON         bool     `help:"Print JSON."`
}

func (c auditList) Run(ctx context.Context, p program) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		events, _, err := s.AuditEvents(ctx, tokens.Operator(), tokens.OrgID(c.Organization), "",
			tokens.Page{Number: 1, Size: int(c.Limit)})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(p.stdout, struct {
				Events []wire.AuditEvent `json:"audit_events"`
			}{wire.NewAuditEvents(events)})
		}
		return printEvents(p.stdout, events)
	})
}

func printEvents(out io.Writer, events []audit.Event) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "NUMBER\tTIME\tWHO\tWHAT\tTARGET\tDETAILS")
	for _, e := range events {
		var details []string
		for _, name := range slices.Sorted(maps.Keys(e.Details)) {
			details = append(details, fmt.Sprintf("%s=%q", name, e.Details[name]))
		}
		_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n",
			e.Sequence, e.At.Format(time.RFC3339), e.Actor.Name, e.Action, e.Target, strings.Join(details, " "))
	}
	return w.Flush()
}
