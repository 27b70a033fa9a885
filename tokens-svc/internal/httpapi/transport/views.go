package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// How tokens look in JSON: a member that does not apply is left out, never null; lists that
// apply are never null either; times are UTC with milliseconds.

// tokenView is all that may be shown of a token.
type tokenView struct {
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
func (e endpoints) view(t tokens.Token) tokenView {
	owner := "person"
	if t.Owner.IsOrganization() {
		owner = "organization"
	}
	return tokenView{
		ID:            t.ID,
		Name:          t.Name,
		Organization:  t.Organization,
		Environment:   t.Environment,
		Permissions:   tokens.Texts(e.Permissions().Expand(t.Permissions)),
		Effective:     tokens.Texts(e.Permissions().Effective(t)),
		Owner:         owner,
		Status:        t.Status(e.Now()),
		CreatedAt:     audit.Instant(t.CreatedAt),
		CreatedBy:     t.CreatedBy,
		ExpiresAt:     audit.Instant(t.ExpiresAt),
		RevokedAt:     audit.Instant(t.RevokedAt),
		RevokedReason: t.RevokedReason,
		RotatedFrom:   t.RotatedFrom,
		RotatedBy:     t.RotatedBy,
		RotatedTo:     t.RotatedTo,
		RateLimit:     t.RateLimit,
		IPAllow:       tokens.Texts(t.IPAllow),
	}
}

// used returns t with its usage.
func (t tokenView) used(u tokens.Use) tokenView {
	t.Usage = &usage{audit.Instant(u.LastUsedAt), u.Address, u.Requests, u.Refused}
	return t
}

// withoutMakers returns t without the people who created and rotated it.
func (t tokenView) withoutMakers() tokenView {
	t.CreatedBy, t.RotatedBy = audit.Actor{}, audit.Actor{}
	return t
}

// tokenBody is the answer that shows one token.
type tokenBody struct {
	Token    tokenView  `json:"token"`
	Previous *tokenView `json:"previous,omitempty"` // whose place it takes
}

// meta is the position of a page in a list.
type meta struct {
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
	Total   int `json:"total"`
}

func shown(t tokenView) reply { return reply{status: http.StatusOK, body: tokenBody{Token: t}} }

// made answers with a new token and where it is. The secret is in the body, this once.
func made(t tokenView, secret tokens.Secret, previous *tokenView) reply {
	t.Secret = secret.Reveal()
	return reply{
		status: http.StatusCreated, header: http.Header{"Location": {"/api/v1/tokens/" + string(t.ID)}},
		body: tokenBody{t, previous},
	}
}

// paged answers with a part of a list and links to the others.
func paged(c *call, p tokens.Page, total int, body any) reply {
	links := query.PageLinks(c.request.URL, int64(p.Number), int64(p.Size), int64(total))
	return reply{status: http.StatusOK, header: http.Header{"Link": {links}}, body: body}
}
