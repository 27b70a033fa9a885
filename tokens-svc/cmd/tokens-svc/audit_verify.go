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

const aboutAudit = `Verifies audit logs and finds the first event of each that was changed,
removed or inserted. For each log that is as it was written it prints the
organization, the number of its newest event, and that event's hash:

    org_01k9x3v7t2e8sbq4m6n0pacdfg 12:217766006571f9c4…

Write access to the database is enough to cut off the end of a log, or to restore an
earlier state of it. Keep what audit heads prints where they cannot reach it, and
give it back with --heads. An empty log is a fault, as is one that ends with an event
without a key; see audit anchor. The exit code is 1 when any log has a fault.`

// knownHeads are heads that were written down, as flags.
type knownHeads []audit.Head

// Set implements flag.Value: it reads "12:217766…".
func (k *knownHeads) Set(text string) error {
	number, hex, ok := strings.Cut(text, ":")
	sequence, err := strconv.ParseInt(number, 10, 64)
	hash, wrong := audit.ParseHash(hex)
	if !ok || err != nil || sequence < 1 || wrong != nil {
		return errors.New("want a number, a colon and a hash of 64 hexadecimal digits")
	}
	*k = append(*k, audit.Head{Sequence: sequence, Hash: hash})
	return nil
}

// String implements flag.Value.
func (k *knownHeads) String() string { return "" }

func verifyAudit(ctx context.Context, p program) error {
	f := newFlags("audit verify", aboutAudit)
	org := f.String("organization", "", "the `org_…` id of the one organization; all if left out")
	var known knownHeads
	f.Var(&known, "against", "a `number:hash` that was printed before, of that organization; may be given several times")
	file := f.String("heads", "", "the `file` with heads that audit heads printed, or log lines audit head; - for standard input")
	if _, err := f.parse(p.args, p.stdout); err != nil {
		return err
	}
	kept := map[tokens.OrgID][]audit.Head{}
	if *file != "" {
		heads, err := readHeads(p, *file)
		if err != nil {
			return err
		}
		for _, h := range heads {
			kept[tokens.OrgID(h.Organization)] = append(kept[tokens.OrgID(h.Organization)], h)
		}
	}
	var only []tokens.OrgID
	if *org != "" {
		one, err := parseOrg(*org)
		if err != nil {
			return err
		}
		only = append(only, one)
	} else if len(known) > 0 {
		return f.usagef("--against needs --organization")
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
			head, err := s.VerifyAudit(ctx, org, append(kept[org], known...)...)
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
