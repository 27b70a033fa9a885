package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenRevokeChanged struct {
	After int64 `required:"" placeholder:"REVISION" help:"The revision of the restored state."`
}

func (tokenRevokeChanged) Help() string {
	return `Revokes every token that changed after a revision, for a database that was restored
to an older state: what these tokens may do is no longer known. Standard input has
lines of the change stream of the state that was lost, such as
{"rev":813,"token":"tok_4fZyo82mVyR1"}. Tokens that the database does not have are
ignored. Running it again changes nothing. Prints the ids of the tokens named.`
}

func (c tokenRevokeChanged) Run(ctx context.Context, p program) error {
	if c.After < 0 {
		return usagef("--after must not be negative")
	}
	ids, err := readChanges(p.stdin, c.After)
	if err != nil {
		return err
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		for _, id := range ids {
			org, err := s.Owner(ctx, id)
			if errors.Is(err, tokens.ErrNotFound) {
				continue
			}
			if err == nil {
				_, err = s.RevokeToken(ctx, tokens.Operator(), org, id, "the database was restored to a state before the token's last change")
			}
			if err == nil {
				_, err = fmt.Fprintln(p.stdout, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, config.Peppers, config.AuditKeys)
}

// readChanges returns the tokens of changes after a revision, once each.
func readChanges(in io.Reader, after int64) (ids []tokens.TokenID, err error) {
	seen := map[tokens.TokenID]bool{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var change struct {
			Revision *int64         `json:"rev"`
			Token    tokens.TokenID `json:"token"` // empty: a heartbeat
		}
		if err := json.Unmarshal(lines.Bytes(), &change); err != nil || change.Revision == nil ||
			change.Token != "" && !tokenIDs.MatchString(string(change.Token)) {
			return nil, fmt.Errorf("%q is no line of the change stream; no token was revoked", lines.Text())
		}
		if *change.Revision > after && change.Token != "" && !seen[change.Token] {
			seen[change.Token] = true
			ids = append(ids, change.Token)
		}
	}
	return ids, lines.Err()
}
