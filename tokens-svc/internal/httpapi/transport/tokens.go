package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
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
	Token    token  `json:"token"`
	Previous *token `json:"previous,omitempty"` // whose place it takes
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
func made(t token, secret tokens.Secret, previous *token) reply {
	t.Secret = secret.Reveal()
	return reply{
		status: http.StatusCreated, header: http.Header{"Location": {"/api/v1/tokens/" + string(t.ID)}},
		body: tokenView{t, previous},
	}
}

// page answers with a part of a list and links to the others.
func page(ctx context.Context, p tokens.Page, total int, body any) reply {
	links := query.PageLinks(requestFrom(ctx).URL, int64(p.Number), int64(p.Size), int64(total))
	return reply{status: http.StatusOK, header: http.Header{"Link": {links}}, body: body}
}

func (m management) self(_ context.Context, c call, _ struct{}) (reply, error) {
	return ok(tokenView{Token: m.view(c.token).withoutMakers()}), nil
}

func (m management) get(ctx context.Context, c call, _ struct{}) (reply, error) {
	t, err := m.Token(ctx, c.organization, c.target)
	if err == nil && !c.MaySee(t) {
		err = tokens.ErrNotFound
	}
	if err != nil {
		return reply{}, err
	}
	usage, err := m.Usage(ctx, c.organization, t)
	return ok(tokenView{Token: m.view(t).used(usage[t.ID])}), err
}

func (m management) list(ctx context.Context, c call, q tokens.Query) (reply, error) {
	q.Environment = c.Sees()
	some, total, err := m.Tokens(ctx, c.organization, q)
	if err != nil {
		return reply{}, err
	}
	usage, err := m.Usage(ctx, c.organization, some...)
	shown := make([]token, len(some))
	for i, t := range some {
		shown[i] = m.view(t).used(usage[t.ID])
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
	return made(m.view(t), secret, nil), nil
}

func (m management) update(ctx context.Context, c call, p tokens.Patch) (reply, error) {
	t, err := m.UpdateToken(ctx, c.Principal, c.organization, c.target, p)
	return ok(tokenView{Token: m.view(t)}), err
}

func (m management) rotate(ctx context.Context, c call, grace time.Duration) (reply, error) {
	id := cmp.Or(c.target, c.token.ID)
	done, err := m.RotateToken(ctx, c.keyed(m.Now(), string(id)), c.organization, id, grace)
	if err != nil {
		return reply{}, err
	}
	next, previous := m.view(done.Token), m.view(done.Previous)
	if c.target == "" {
		next, previous = next.withoutMakers(), previous.withoutMakers()
	}
	return made(next, done.Secret, &previous), nil
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
	children, err := m.Children(ctx, t)
	return reply{status: http.StatusOK, header: header, body: struct {
		tokenView
		ActiveChildren int `json:"active_children"`
	}{tokenView{Token: m.view(t)}, len(children)}}, err
}

func (m management) auditEvents(ctx context.Context, c call, e events) (reply, error) {
	events, total, err := m.AuditEvents(ctx, c.Principal, c.organization, tokens.AuditQuery{After: e.after}, e.Page)
	view := struct {
		Events []audit.Event `json:"audit_events"`
		Meta   meta          `json:"meta"`
	}{events, meta{e.Number, e.Size, total}}
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

// How tokens look in JSON: a member that does not apply is left out, never null; lists that
// apply are never null either; times are UTC with milliseconds.

// instant returns a time as the product writes it: 2026-11-20T14:03:52.123Z, and "" where there is none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return audit.Instant(t)
}

// token is all that may be shown of a token.
type token struct {
	ID            tokens.TokenID      `json:"id"`
	Name          string              `json:"name"`
	Organization  tokens.Organization `json:"organization"`
	Environment   tokens.Environment  `json:"environment"`
	Permissions   []string            `json:"permissions"`           // as granted, implied ones spelt out
	Effective     []string            `json:"effective_permissions"` // those that its owner's role allows
	Owner         string              `json:"owner"`                 // person or organization
	Status        tokens.Status       `json:"status"`
	CreatedAt     string              `json:"created_at"`
	CreatedBy     audit.Actor         `json:"created_by,omitzero"` // absent for the token itself
	ExpiresAt     string              `json:"expires_at,omitempty"`
	RevokedAt     string              `json:"revoked_at,omitempty"`
	RevokedReason string              `json:"revoked_reason,omitempty"`
	RotatedFrom   tokens.TokenID      `json:"rotated_from,omitempty"`
	RotatedBy     audit.Actor         `json:"rotated_by,omitzero"` // absent for the token itself
	RotatedTo     tokens.TokenID      `json:"rotated_to,omitempty"`
	RateLimit     tokens.RateLimit    `json:"rate_limit"`
	IPAllow       []string            `json:"ip_allow,omitempty"`
	Usage         *usage              `json:"usage,omitempty"`
	Secret        string              `json:"secret,omitempty"` // in the answer that made the token only
}

// usage is when a token was last used, and how much in the last 24 hours.
type usage struct {
	LastUsedAt   string        `json:"last_used_at,omitempty"`
	LastUsedFrom audit.Address `json:"last_used_from,omitzero"`
	Requests     int64         `json:"requests_24h"`
	Refused      int64         `json:"refused_24h"`
}

// view returns the view of t as it is now.
func (m management) view(t tokens.Token) token {
	owner := "person"
	if t.Owner.IsOrganization() {
		owner = "organization"
	}
	return token{
		ID:            t.ID,
		Name:          t.Name,
		Organization:  t.Organization,
		Environment:   t.Environment,
		Permissions:   tokens.Texts(m.Permissions().Expand(t.Permissions)),
		Effective:     tokens.Texts(m.Permissions().Effective(t)),
		Owner:         owner,
		Status:        t.Status(m.Now()),
		CreatedAt:     instant(t.CreatedAt),
		CreatedBy:     t.CreatedBy,
		ExpiresAt:     instant(t.ExpiresAt),
		RevokedAt:     instant(t.RevokedAt),
		RevokedReason: t.RevokedReason,
		RotatedFrom:   t.RotatedFrom,
		RotatedBy:     t.RotatedBy,
		RotatedTo:     t.RotatedTo,
		RateLimit:     t.RateLimit,
		IPAllow:       tokens.Texts(t.IPAllow),
	}
}

// used returns t with its usage.
func (t token) used(u tokens.Use) token {
	t.Usage = &usage{instant(u.LastUsedAt), u.Address, u.Requests, u.Refused}
	return t
}

// withoutMakers returns t without the people who created and rotated it.
func (t token) withoutMakers() token {
	t.CreatedBy, t.RotatedBy = audit.Actor{}, audit.Actor{}
	return t
}

// reply is an answer that is not a problem.
type reply struct {
	status int
	header http.Header
	body   any // shown as JSON; nil: no body
}

// write sends the reply. An error means that nothing was written yet, so that
// the error encoder can answer: once the header is out, the only thing to fail
// is the connection, and then no client is left.
func (re reply) write(w http.ResponseWriter) error {
	var body bytes.Buffer
	h := w.Header()
	if re.body != nil {
		enc := json.NewEncoder(&body)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(re.body); err != nil {
			return err
		}
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(body.Len()))
	}
	h.Set("Cache-Control", "no-store")
	maps.Copy(h, re.header)
	w.WriteHeader(re.status)
	_, _ = w.Write(body.Bytes())
	return nil
}
