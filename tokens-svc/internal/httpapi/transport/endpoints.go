package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// endpoints are those of the management API. Each acts in the caller's organization. Where the path has no id, it acts
// on the calling token and shows no creator: a person's e-mail address is not for every holder of the token.
type endpoints struct{ *tokens.Service }

// endedByItself is the reason of a token that its holder ended.
const endedByItself = "ended by its holder"

func (e endpoints) self(_ context.Context, c *call, _ nothing) (reply, error) {
	return shown(e.view(c.token).withoutMakers()), nil
}

func (e endpoints) get(ctx context.Context, c *call, _ nothing) (reply, error) {
	t, err := e.Token(ctx, c.organization, c.target)
	if err == nil && !c.MaySee(t) {
		err = tokens.ErrNotFound
	}
	if err != nil {
		return reply{}, err
	}
	usage, err := e.Usage(ctx, c.organization, t)
	return shown(e.view(t).used(usage[t.ID])), err
}

func (e endpoints) list(ctx context.Context, c *call, q tokens.Query) (reply, error) {
	q.Environment = c.Sees()
	some, total, err := e.Tokens(ctx, c.organization, q)
	if err != nil {
		return reply{}, err
	}
	usage, err := e.Usage(ctx, c.organization, some...)
	views := make([]tokenView, len(some))
	for i, t := range some {
		views[i] = e.view(t).used(usage[t.ID])
	}
	return paged(c, q.Page, total, struct {
		Tokens []tokenView `json:"tokens"`
		Meta   meta        `json:"meta"`
	}{views, meta{q.Page.Number, q.Page.Size, total}}), err
}

func (e endpoints) create(ctx context.Context, c *call, d tokens.Draft) (reply, error) {
	t, secret, err := e.CreateToken(ctx, c.keyed(e.Now()), c.organization, d)
	if err != nil {
		return reply{}, err
	}
	return made(e.view(t), secret, nil), nil
}

func (e endpoints) update(ctx context.Context, c *call, p tokens.Patch) (reply, error) {
	t, err := e.UpdateToken(ctx, c.Principal, c.organization, c.target, p)
	return shown(e.view(t)), err
}

func (e endpoints) rotate(ctx context.Context, c *call, grace time.Duration) (reply, error) {
	id := cmp.Or(c.target, c.token.ID)
	done, err := e.RotateToken(ctx, c.keyed(e.Now(), string(id)), c.organization, id, grace)
	if err != nil {
		return reply{}, err
	}
	next, previous := e.view(done.Token), e.view(done.Previous)
	if c.target == "" {
		next, previous = next.withoutMakers(), previous.withoutMakers()
	}
	return made(next, done.Secret, &previous), nil
}

func (e endpoints) end(ctx context.Context, c *call, _ nothing) (reply, error) {
	_, err := e.RevokeToken(ctx, c.Principal, c.organization, c.token.ID, endedByItself, false)
	return reply{status: http.StatusNoContent}, err
}

// revoke ends a token, and shows how many of those made with it still work. A repeated request completes an interrupted
// first one: it changes nothing but children that still work.
func (e endpoints) revoke(ctx context.Context, c *call, r revokeRequest) (reply, error) {
	var header http.Header
	t, err := e.RevokeToken(ctx, c.keyed(e.Now(), string(c.target)), c.organization, c.target, r.reason, r.children)
	if _, replayed := errors.AsType[*tokens.RepeatedError](err); replayed {
		header = http.Header{idempotency.Replayed: {"true"}}
		t, err = e.RevokeToken(ctx, c.Principal, c.organization, c.target, r.reason, r.children)
	}
	if err != nil {
		return reply{}, err
	}
	children, err := e.Children(ctx, t)
	return reply{status: http.StatusOK, header: header, body: struct {
		Token          tokenView `json:"token"`
		ActiveChildren int       `json:"active_children"`
	}{e.view(t), len(children)}}, err
}

func (e endpoints) auditEvents(ctx context.Context, c *call, r auditEventsRequest) (reply, error) {
	found, err := e.AuditEvents(ctx, c.Principal, c.organization, tokens.AuditQuery{After: r.after}, r.Page)
	view := struct {
		Events []audit.Event `json:"audit_events"`
		Meta   meta          `json:"meta"`
	}{found.Events, meta{r.Number, r.Size, found.Total}}
	if r.after == nil || err != nil {
		return paged(c, r.Page, found.Total, view), err
	}
	after := *r.after
	if n := len(found.Events); n > 0 {
		after = found.Events[n-1].Sequence
	}
	link := fmt.Sprintf(`</api/v1/audit-events?after=%d&per_page=%d>; rel="next"`, after, r.Size)
	return reply{status: http.StatusOK, header: http.Header{"Link": {link}}, body: view}, nil
}
