package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// management is the methods of the management API. Each acts in the caller's
// organization. Where the path has no id, it acts on the calling token and shows
// no creator: a person's e-mail address is not for every holder of the token.
type management struct{ *tokens.Service }

// endedByItself is the reason of a token that its holder ended.
const endedByItself = "ended by its holder"

// tokenView is the answer that shows one token.
type tokenView struct {
	Token token `json:"token"`
}

// meta is the position of a page in a list.
type meta struct {
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
	Total   int `json:"total"`
}

func ok(body any) reply { return reply{status: http.StatusOK, body: body} }

// made answers with a new token and where it is. The secret is in the body,
// this once.
func made(id tokens.TokenID, body created) reply {
	return reply{status: http.StatusCreated, header: http.Header{"Location": {"/api/v1/tokens/" + string(id)}}, body: body}
}

// page answers with a part of a list and links to the others.
func page(ctx context.Context, p tokens.Page, total int, body any) reply {
	return reply{
		status: http.StatusOK,
		header: http.Header{"Link": {query.PageLinks(requestFrom(ctx).URL, int64(p.Number), int64(p.Size), int64(total))}},
		body:   body,
	}
}

func (m management) self(_ context.Context, c call, _ struct{}) (reply, error) {
	shown := newToken(m.Service, c.token).withoutMakers()
	return ok(tokenView{shown}), nil
}

func (m management) get(ctx context.Context, c call, _ struct{}) (reply, error) {
	t, err := m.Token(ctx, c.organization, c.target)
	if err == nil && !c.MaySee(t) {
		err = tokens.ErrNotFound
	}
	if err != nil {
		return reply{}, err
	}
	usage, err := m.Usage(ctx, c.organization, t.ID)
	return ok(tokenView{newToken(m.Service, t).used(usage[t.ID])}), err
}

func (m management) list(ctx context.Context, c call, q tokens.Query) (reply, error) {
	q.Environment = c.Sees()
	some, total, err := m.Tokens(ctx, c.organization, q)
	if err != nil {
		return reply{}, err
	}
	usage, err := m.Usage(ctx, c.organization, tokens.IDs(some)...)
	shown := make([]token, len(some))
	for i, t := range some {
		shown[i] = newToken(m.Service, t).used(usage[t.ID])
	}
	return page(ctx, q.Page, total, struct {
		Tokens []token `json:"tokens"`
		Meta   meta    `json:"meta"`
	}{shown, meta{q.Page.Number, q.Page.Size, total}}), err
}

func (m management) create(ctx context.Context, c call, d tokens.Draft) (reply, error) {
	t, secret, err := m.CreateToken(ctx, c.keyed(m.Now()), c.organization, d)
	if err != nil {
		return reply{}, err
	}
	return made(t.ID, newCreated(newToken(m.Service, t), secret)), nil
}

func (m management) update(ctx context.Context, c call, p tokens.Patch) (reply, error) {
	t, err := m.UpdateToken(ctx, c.Principal, c.organization, c.target, p)
	return ok(tokenView{newToken(m.Service, t)}), err
}

func (m management) rotate(ctx context.Context, c call, grace time.Duration) (reply, error) {
	id := cmp.Or(c.target, c.token.ID)
	done, err := m.RotateToken(ctx, c.keyed(m.Now(), string(id)), c.organization, id, grace)
	if err != nil {
		return reply{}, err
	}
	next, previous := newToken(m.Service, done.Token), newToken(m.Service, done.Previous)
	if c.target == "" {
		next, previous = next.withoutMakers(), previous.withoutMakers()
	}
	shown := newCreated(next, done.Secret)
	shown.Previous = &previous
	return made(done.Token.ID, shown), nil
}

func (m management) end(ctx context.Context, c call, _ struct{}) (reply, error) {
	_, err := m.RevokeToken(ctx, c.Principal, c.organization, c.token.ID, endedByItself, false)
	return reply{status: http.StatusNoContent}, err
}

// revoke ends a token, and shows how many of those made with it still work. A
// repeated request completes an interrupted first one: it changes nothing but
// children that still work.
func (m management) revoke(ctx context.Context, c call, r revocation) (reply, error) {
	var header http.Header
	t, err := m.RevokeToken(ctx, c.keyed(m.Now(), string(c.target)), c.organization, c.target, r.reason, r.children)
	if _, replayed := errors.AsType[*tokens.RepeatedError](err); replayed {
		header = http.Header{idempotency.Replayed: {"true"}}
		t, err = m.RevokeToken(ctx, c.Principal, c.organization, c.target, r.reason, r.children)
	}
	if err != nil {
		return reply{}, err
	}
	children, err := m.Children(ctx, c.organization, t.ID)
	return reply{status: http.StatusOK, header: header, body: struct {
		tokenView
		ActiveChildren int `json:"active_children"`
	}{tokenView{newToken(m.Service, t)}, len(children)}}, err
}

func (m management) auditEvents(ctx context.Context, c call, e events) (reply, error) {
	events, total, err := m.AuditEvents(ctx, c.Principal, c.organization, tokens.AuditQuery{After: e.after}, e.Page)
	view := eventsView{events, meta{e.Number, e.Size, total}}
	if e.after == nil || err != nil {
		return page(ctx, e.Page, total, view), err
	}
	after := *e.after
	if n := len(events); n > 0 {
		after = events[n-1].Sequence
	}
	link := fmt.Sprintf(`</api/v1/audit-events?after=%d&per_page=%d>; rel="next"`, after, e.Size)
	return reply{status: http.StatusOK, header: http.Header{"Link": {link}}, body: view}, nil
}
