package transport

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// This file is how tokens look in JSON. A member that does not apply is left out, never
// null; lists that apply are never null either; times are UTC with milliseconds.

// instant is a time as the product writes it: 2026-11-20T14:03:52.123Z.
type instant time.Time

// MarshalText implements encoding.TextMarshaler.
func (t instant) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"), nil
}

// IsZero reports whether there is no such time, for omitzero.
func (t instant) IsZero() bool { return time.Time(t).IsZero() }

// organization is an organization's id and name.
type organization struct {
	ID   tokens.OrgID `json:"id"`
	Name string       `json:"name"`
}

// token is all that may be shown of a token.
type token struct {
	ID            tokens.TokenID     `json:"id"`
	Name          string             `json:"name"`
	Organization  organization       `json:"organization"`
	Environment   tokens.Environment `json:"environment"`
	Permissions   []string           `json:"permissions"`           // as granted, implied ones spelt out
	Effective     []string           `json:"effective_permissions"` // those that its owner's role allows
	Owner         string             `json:"owner"`                 // person or organization
	Status        tokens.Status      `json:"status"`
	CreatedAt     instant            `json:"created_at"`
	CreatedBy     audit.Actor        `json:"created_by,omitzero"` // absent for the token itself
	ExpiresAt     instant            `json:"expires_at,omitzero"`
	RevokedAt     instant            `json:"revoked_at,omitzero"`
	RevokedReason string             `json:"revoked_reason,omitempty"`
	RotatedFrom   tokens.TokenID     `json:"rotated_from,omitempty"`
	RotatedBy     audit.Actor        `json:"rotated_by,omitzero"` // absent for the token itself
	RotatedTo     tokens.TokenID     `json:"rotated_to,omitempty"`
	RateLimit     rateLimit          `json:"rate_limit"`
	IPAllow       []string           `json:"ip_allow,omitempty"`
	Usage         *usage             `json:"usage,omitempty"`
}

// rateLimit is how many requests a token may make in each window.
type rateLimit struct {
	Limit         int   `json:"limit"`
	WindowSeconds int64 `json:"window_seconds"`
}

func newRateLimit(r tokens.RateLimit) rateLimit {
	return rateLimit{Limit: r.Limit, WindowSeconds: int64(r.Window / time.Second)}
}

// usage is when a token was last used, and how much in the last 24 hours.
type usage struct {
	LastUsedAt   instant    `json:"last_used_at,omitzero"`
	LastUsedFrom netip.Addr `json:"last_used_from,omitzero"`
	Requests     int64      `json:"requests_24h"`
	Refused      int64      `json:"refused_24h"`
}

// newToken returns the view of t as it is now.
func newToken(s *tokens.Service, t tokens.Token) token {
	owner := "person"
	if t.Owner.IsOrganization() {
		owner = "organization"
	}
	return token{
		ID:            t.ID,
		Name:          t.Name,
		Organization:  organization{t.Organization.ID, t.Organization.Name},
		Environment:   t.Environment,
		Permissions:   tokens.Texts(s.Permissions().Expand(t.Permissions)),
		Effective:     tokens.Texts(s.Permissions().Effective(t)),
		Owner:         owner,
		Status:        t.Status(s.Now()),
		CreatedAt:     instant(t.CreatedAt),
		CreatedBy:     t.CreatedBy,
		ExpiresAt:     instant(t.ExpiresAt),
		RevokedAt:     instant(t.RevokedAt),
		RevokedReason: t.RevokedReason,
		RotatedFrom:   t.RotatedFrom,
		RotatedBy:     t.RotatedBy,
		RotatedTo:     t.RotatedTo,
		RateLimit:     newRateLimit(t.RateLimit),
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

// created is the answer that a new token's secret is in, and the only one.
type created struct {
	Token struct {
		token
		Secret string `json:"secret"`
	} `json:"token"`
	Previous *token `json:"previous,omitempty"` // whose place it takes
}

func newCreated(t token, secret tokens.Secret) (c created) {
	c.Token.token, c.Token.Secret = t, secret.Reveal()
	return c
}

// eventsView is the answer that shows audit events.
type eventsView struct {
	Events []audit.Event `json:"audit_events"`
	Meta   meta          `json:"meta"`
}

// reply is an answer that is not a problem.
type reply struct {
	status int
	header http.Header
	body   any    // shown as JSON; nil: no body
	result string // of an introspection, in metrics
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
