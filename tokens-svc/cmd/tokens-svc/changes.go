package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenRevokeChanged struct {
	After int64 `required:"" placeholder:"REVISION" help:"The revision of the restored state."`
}

func (c tokenRevokeChanged) Run(ctx context.Context, p program) error {
	if c.After < 0 {
		return errors.New("--after must not be negative")
	}
	ids, err := readChanges(p.stdin, c.After)
	if err != nil {
		return err
	}
	return withServices(p, func(s services) error {
		for _, id := range ids {
			_, err := revoke(ctx, s, id, "the database was restored to a state before the token's last change")
			if errors.Is(err, tokens.ErrNotFound) {
				continue
			}
			if err == nil {
				_, err = fmt.Fprintln(p.stdout, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// readChanges returns the tokens of changes after a revision, once each. A stream
// that may lack some is refused: revisions are consecutive, and a heartbeat has the
// newest one. A line that broke off counts as read when a heartbeat follows.
func readChanges(in io.Reader, after int64) (ids []tokens.TokenID, err error) {
	refuse := func(format string, args ...any) error { return fmt.Errorf(format+"; no token was revoked", args...) }
	seen := map[tokens.TokenID]bool{}
	broken, epoch, last, known := "", "", int64(-1), after
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var change struct {
			tokens.Change
			Revision *int64 `json:"rev"` // required
		}
		if err := json.Unmarshal(lines.Bytes(), &change); err != nil || change.Revision == nil ||
			change.Token != "" && !change.Token.Valid() {
			broken = lines.Text()
			continue
		}
		if change.Epoch != epoch { // restored or promoted: its revisions begin again from an earlier one
			epoch, last, known = change.Epoch, -1, after
		}
		if *change.Revision > known+1 || change.Token == "" && *change.Revision > known {
			return nil, refuse("the change stream lacks revision %d", known+1)
		}
		last, known = max(last, *change.Revision), max(known, *change.Revision)
		if change.Token == "" {
			broken = ""
		} else if *change.Revision > after && !seen[change.Token] {
			seen[change.Token] = true
			ids = append(ids, change.Token)
		}
	}
	switch {
	case lines.Err() != nil:
		return nil, lines.Err()
	case broken != "":
		return nil, refuse("%q is no line of the change stream", broken)
	case last < 0:
		return nil, refuse("the change stream is empty")
	case last < after:
		return nil, refuse("the change stream ends at revision %d, before %d", last, after)
	}
	return ids, nil
}
