// Package wire is how tokens and organizations look in JSON, alike in the API's
// responses and in the command line's output with --json.
//
// A member that does not apply is left out, never null; lists that apply are
// never null either; times are UTC with milliseconds.
package wire

import (
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Time is a time as the product writes it: 2026-11-20T14:03:52.123Z.
type Time time.Time

// MarshalText implements encoding.TextMarshaler.
func (t Time) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"), nil
}

// IsZero reports whether there is no such time, for omitzero.
func (t Time) IsZero() bool { return time.Time(t).IsZero() }

// Organization is an organization's id and name.
type Organization struct {
	ID   tokens.OrgID `json:"id"`
	Name string       `json:"name"`
}

// Token is all that may be shown of a token.
type Token struct {
	ID            tokens.TokenID     `json:"id"`
	Name          string             `json:"name"`
	Organization  Organization       `json:"organization"`
	Environment   tokens.Environment `json:"environment"`
	Permissions   []string           `json:"permissions"`           // as granted, implied ones spelt out
	Effective     []string           `json:"effective_permissions"` // those that its owner's role allows
	Owner         string             `json:"owner"`                 // person or organization
	Status        tokens.Status      `json:"status"`
	CreatedAt     Time               `json:"created_at"`
	CreatedBy     audit.Actor        `json:"created_by,omitzero"` // absent for the token itself
	ExpiresAt     Time               `json:"expires_at,omitzero"`
	RevokedAt     Time               `json:"revoked_at,omitzero"`
	RevokedReason string             `json:"revoked_reason,omitempty"`
	RotatedFrom   tokens.TokenID     `json:"rotated_from,omitempty"`
	RotatedBy     audit.Actor        `json:"rotated_by,omitzero"` // absent for the token itself
	RotatedTo     tokens.TokenID     `json:"rotated_to,omitempty"`
	RateLimit     RateLimit          `json:"rate_limit"`
	IPAllow       []string           `json:"ip_allow,omitempty"`
	Usage         *Usage             `json:"usage,omitempty"`
}

// RateLimit is how many requests a token may make in each window.
type RateLimit struct {
	Limit         int   `json:"limit"`
	WindowSeconds int64 `json:"window_seconds"`
}

// NewToken returns the JSON form of t as it is now.
func NewToken(s *tokens.Service, t tokens.Token) Token {
	return Token{
		ID:            t.ID,
		Name:          t.Name,
		Organization:  Organization{t.Organization.ID, t.Organization.Name},
		Environment:   t.Environment,
		Permissions:   tokens.Texts(s.Permissions().Expand(t.Permissions)),
		Effective:     tokens.Texts(s.Permissions().Effective(t)),
		Owner:         owner(t.Owner),
		Status:        t.Status(s.Now()),
		CreatedAt:     Time(t.CreatedAt),
		CreatedBy:     t.CreatedBy,
		ExpiresAt:     Time(t.ExpiresAt),
		RevokedAt:     Time(t.RevokedAt),
		RevokedReason: t.RevokedReason,
		RotatedFrom:   t.RotatedFrom,
		RotatedBy:     t.RotatedBy,
		RotatedTo:     t.RotatedTo,
		RateLimit:     NewRateLimit(t.RateLimit),
		IPAllow:       tokens.Texts(t.IPAllow),
	}
}

// WithoutMakers returns t without the people who created and rotated it.
func (t Token) WithoutMakers() Token {
	t.CreatedBy, t.RotatedBy = audit.Actor{}, audit.Actor{}
	return t
}

// NewRateLimit returns the JSON form of r.
func NewRateLimit(r tokens.RateLimit) RateLimit {
	return RateLimit{Limit: r.Limit, WindowSeconds: int64(r.Window / time.Second)}
}

func owner(o tokens.Owner) string {
	if o.IsOrganization() {
		return "organization"
	}
	return "person"
}
