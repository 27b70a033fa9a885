package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type auditVerify struct {
	Organization orgID       `placeholder:"ORG" help:"Only this organization, an org_… id."`
	Against      []knownHead `placeholder:"NUMBER:HASH" help:"A head of that organization that was printed before; may be repeated."`
	Heads        string      `placeholder:"FILE" help:"File with heads that audit heads printed, or log lines audit head; - for standard input."`
}

func (auditVerify) Help() string {
	return `Verifies audit logs and finds the first event of each that was changed,
removed or inserted. For each log that is as it was written it prints the
organization, the number of its newest event, and that event's hash:

    org_01k9x3v7t2e8sbq4m6n0pacdfg 12:217766006571f9c4…

Write access to the database is enough to cut off the end of a log, or to restore an
earlier state of it. Keep what audit heads prints where they cannot reach it, and
give it back with --heads. An empty log is a fault, as is one that ends with an event
without a key; see audit anchor. The exit code is 1 when any log has a fault.`
}

// knownHead is a head that was printed before, such as "12:217766…".
type knownHead audit.Head

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *knownHead) UnmarshalText(text []byte) error {
	number, hex, ok := strings.Cut(string(text), ":")
	sequence, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || sequence < 1 || k.Hash.UnmarshalText([]byte(hex)) != nil {
		return errors.New("want a number, a colon and a hash of 64 hexadecimal digits")
	}
	k.Sequence = sequence
	return nil
}

func (c auditVerify) Run(ctx context.Context, p program) error {
	kept := map[tokens.OrgID][]audit.Head{}
	if c.Heads != "" {
		heads, err := readHeads(p, c.Heads)
		if err != nil {
			return err
		}
		for _, h := range heads {
			kept[tokens.OrgID(h.Organization)] = append(kept[tokens.OrgID(h.Organization)], h)
		}
	}
	var only []tokens.OrgID
	if c.Organization != "" {
		only = append(only, tokens.OrgID(c.Organization))
		for _, known := range c.Against {
			kept[only[0]] = append(kept[only[0]], audit.Head(known))
		}
	} else if len(c.Against) > 0 {
		return usagef("--against needs --organization")
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		if len(only) == 0 {
			all, err := s.Organizations(ctx)
			if err != nil {
				return err
			}
			for _, o := range all {
				only = append(only, o.ID)
			}
			for _, org := range slices.Sorted(maps.Keys(kept)) {
				if !slices.Contains(only, org) {
					only = append(only, org) // it was removed, with its log
				}
			}
		}
		var faults []error
		for _, org := range only {
			head, err := s.VerifyAudit(ctx, org, kept[org]...)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			if _, err := fmt.Fprintf(p.stdout, "%s %d:%s\n", org, head.Sequence, head.Hash); err != nil {
				return err
			}
		}
		return errors.Join(faults...)
	}, config.AuditKeys)
}
