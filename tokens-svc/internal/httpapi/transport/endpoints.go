package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// endpoints are those of the management API. Each acts in the caller's organization. Where the path has no id, it acts
// on the calling token and shows no creator: a person's e-mail address is not for every holder of the token.
type endpoints struct{ *tokens.Service }

// endedByItself is the reason of a token that its holder ended.
const endedByItself = "ended by its holder"

func (e endpoints) self(ctx context.Context, _ any) (any, error) {
	return shown(e.view(callFrom(ctx).token).withoutMakers()), nil
}

func (e endpoints) get(ctx context.Context, _ any) (any, error) {
	c := callFrom(ctx)
	t, err := e.Token(ctx, c.organization, c.target)
	if err == nil && !c.MaySee(t) {
		err = tokens.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	usage, err := e.Usage(ctx, c.organization, t)
	return shown(e.view(t).used(usage[t.ID])), err
}

func (e endpoints) list(ctx context.Context, request any) (any, error) {
	c, q := callFrom(ctx), request.(tokens.Query)
	q.Environment = c.Sees()
	some, total, err := e.Tokens(ctx, c.organization, q)
	if err != nil {
		return nil, err
	}
	usage, err := e.Usage(ctx, c.organization, some...)
	views := make([]tokenView, len(some))
	for i, t := range some {
		views[i] = e.view(t).used(usage[t.ID])
	}
	return paged(ctx, q.Page, total, struct {
		Tokens []tokenView `json:"tokens"`
		Meta   meta        `json:"meta"`
	}{views, meta{q.Page.Number, q.Page.Size, total}}), err
}

func (e endpoints) create(ctx context.Context, request any) (any, error) {
	c := callFrom(ctx)
	t, secret, err := e.CreateToken(ctx, c.keyed(e.Now()), c.organization, request.(tokens.Draft))
	if err != nil {
		return nil, err
	}
	return made(e.view(t), secret, nil), nil
}

func (e endpoints) update(ctx context.Context, request any) (any, error) {
	c := callFrom(ctx)
	t, err := e.UpdateToken(ctx, c.Principal, c.organization, c.target, request.(tokens.Patch))
	return shown(e.view(t)), err
}

func (e endpoints) rotate(ctx context.Context, request any) (any, error) {
	c := callFrom(ctx)
	id := cmp.Or(c.target, c.token.ID)
	done, err := e.RotateToken(ctx, c.keyed(e.Now(), string(id)), c.organization, id, request.(rotateRequest).grace)
	if err != nil {
		return nil, err
	}
	next, previous := e.view(done.Token), e.view(done.Previous)
	if c.target == "" {
		next, previous = next.withoutMakers(), previous.withoutMakers()
	}
	return made(next, done.Secret, &previous), nil
}

func (e endpoints) end(ctx context.Context, _ any) (any, error) {
	c := callFrom(ctx)
	_, err := e.RevokeToken(ctx, c.Principal, c.organization, c.token.ID, endedByItself, false)
	return reply{status: http.StatusNoContent}, err
}

// revoke ends a token, and shows how many of those made with it still work. A repeated request completes an interrupted
// first one: it changes nothing but children that still work.
func (e endpoints) revoke(ctx context.Context, request any) (any, error) {
	c, r := callFrom(ctx), request.(revokeRequest)
	var header http.Header
	t, err := e.RevokeToken(ctx, c.keyed(e.Now(), string(c.target)), c.organization, c.target, r.reason, r.children)
	if _, replayed := errors.AsType[*tokens.RepeatedError](err); replayed {
		header = http.Header{idempotency.Replayed: {"true"}}
		t, err = e.RevokeToken(ctx, c.Principal, c.organization, c.target, r.reason, r.children)
	}
	if err != nil {
		return nil, err
	}
	children, err := e.Children(ctx, t)
	return reply{status: http.StatusOK, header: header, body: struct {
		Token          tokenView `json:"token"`
		ActiveChildren int       `json:"active_children"`
	}{e.view(t), len(children)}}, err
}

func (e endpoints) auditEvents(ctx context.Context, request any) (any, error) {
	c, r := callFrom(ctx), request.(auditEventsRequest)
	found, err := e.AuditEvents(ctx, c.Principal, c.organization, tokens.AuditQuery{After: r.after}, r.Page)
	view := struct {
		Events []audit.Event `json:"audit_events"`
		Meta   meta          `json:"meta"`
	}{found.Events, meta{r.Number, r.Size, found.Total}}
	if r.after == nil || err != nil {
		return paged(ctx, r.Page, found.Total, view), err
	}
	after := *r.after
	if n := len(found.Events); n > 0 {
		after = found.Events[n-1].Sequence
	}
	link := fmt.Sprintf(`</api/v1/audit-events?after=%d&per_page=%d>; rel="next"`, after, r.Size)
	return reply{status: http.StatusOK, header: http.Header{"Link": {link}}, body: view}, nil
}
