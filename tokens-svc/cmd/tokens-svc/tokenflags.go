package main

import (
	"context"
	"regexp"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// draftFlags adds the flags that create and update share: the mutable settings of a
// token, apart from its name and end.
func draftFlags(f flags, permissions, ipAllow *[]string, limit *tokens.RateLimit) {
	f.Func("permissions", "permissions: a `list` separated by commas", splitInto(permissions))
	f.Func("ip-allow", "allowed addresses: a `list` of addresses and CIDR ranges, empty for any", splitInto(ipAllow))
	f.Func("limit", "`requests` per window, 100 by default", positive(&limit.Limit))
	f.Func("window-seconds", "length of the window in `seconds`, 60 by default", func(text string) error {
		var n int
		err := positive(&n)(text)
		limit.Window = time.Duration(n) * time.Second
		return err
	})
}

// target is the token that a command is about.
type target struct {
	id  tokens.TokenID
	org string
}

// targetFlag adds the flag that makes sure of the token's organization.
func targetFlag(f flags) *target {
	var t target
	f.StringVar(&t.org, "organization", "", "the `org_…` id of its organization, to be sure; found out if left out")
	return &t
}

var tokenID = regexp.MustCompile(`^tok_[0-9A-Za-z]{12}$`)

// read takes the operand that names the token.
func (t *target) read(f flags, operand string) error {
	t.id = tokens.TokenID(operand)
	if !tokenID.MatchString(operand) {
		return f.usagef("%q is no token's id: it has tok_ and 12 characters, as token list prints it", operand)
	}
	if t.org != "" {
		_, err := parseOrg(t.org)
		return err
	}
	return nil
}

// owner returns the token's organization, as it was given or as it is.
func (t *target) owner(ctx context.Context, s *tokens.Service) (tokens.OrgID, error) {
	if t.org != "" {
		return tokens.OrgID(t.org), nil
	}
	return s.Owner(ctx, t.id)
}
