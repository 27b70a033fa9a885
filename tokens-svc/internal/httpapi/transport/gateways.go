package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// maxForm bounds an introspection's body in bytes: a token has 61.
const maxForm = 4 << 10

// introspection is RFC 7662's answer. Only active goes without omission, so a token that is not good gives exactly
// {"active":false}, with a reason where the right secret was presented.
type introspection struct {
	Active    bool           `json:"active"`
	Reason    string         `json:"reason,omitempty"`
	TokenType string         `json:"token_type,omitempty"`
	Scope     string         `json:"scope,omitempty"`
	Subject   tokens.TokenID `json:"sub,omitempty"`
	Lineage   tokens.TokenID `json:"lineage,omitempty"` // the first token of the rotation chain
	// OrganizationID is the partition of the data that the token works with:
	// a test token has another one than its organization.
	OrganizationID tokens.OrgID       `json:"organization_id,omitempty"`
	Environment    tokens.Environment `json:"environment,omitempty"`
	IssuedAt       int64              `json:"iat,omitempty"`
	ExpiresAt      int64              `json:"exp,omitempty"` // Unix seconds
	RateLimit      tokens.RateLimit   `json:"rate_limit,omitzero"`
	IPAllow        []string           `json:"ip_allow,omitempty"`
	RotatedTo      tokens.TokenID     `json:"rotated_to,omitempty"` // then exp is the end of the overlap
	Revision       int64              `json:"rev,omitempty"`
}

// decodeIntrospect reads the form. Its errors do not repeat its values. RFC 7662's token_type_hint is accepted and adds
// nothing. A text that is no token gets RFC 7662's answer, too.
func decodeIntrospect(r *http.Request) (tokens.Secret, error) {
	if _, err := jsonbody.MediaType(r.Header, "application/x-www-form-urlencoded"); err != nil {
		return tokens.Secret{}, err
	}
	body, err := jsonbody.Read(r)
	if _, large := errors.AsType[*http.MaxBytesError](err); err != nil && !large {
		err = errForm
	}
	if err != nil {
		return tokens.Secret{}, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || len(form["token"]) != 1 {
		return tokens.Secret{}, errForm
	}
	presented, _ := tokens.Parse(form.Get("token"))
	return presented, nil
}

// introspect returns the endpoint that looks up a presented token; the zero Secret is a text that is none.
// Introspections are observed by their outcome.
func introspect(
	s *tokens.Service, observe func(result string),
) func(context.Context, *call, tokens.Secret) (reply, error) {
	return func(ctx context.Context, _ *call, presented tokens.Secret) (reply, error) {
		found, err := s.Introspect(ctx, presented)
		observe(resultOf(found, err))
		if err != nil {
			return reply{}, err
		}
		return reply{status: http.StatusOK, body: introspectionOf(found, s.Permissions())}, nil
	}
}

// resultOf is the result of an introspection in metrics.
func resultOf(found tokens.Introspection, err error) string {
	_, noPepper := errors.AsType[*tokens.PepperError](err)
	switch {
	case err == nil:
		return string(found.Outcome)
	case errors.Is(err, context.Canceled):
		return "canceled"
	case noPepper:
		return "no_pepper"
	case errors.Is(err, tokens.ErrUnavailable):
		return "unavailable"
	default:
		return "error"
	}
}

func recordUsage(s *tokens.Service) func(context.Context, *call, []tokens.Use) (reply, error) {
	return func(ctx context.Context, _ *call, uses []tokens.Use) (reply, error) {
		return reply{status: http.StatusNoContent}, s.RecordUsage(ctx, uses)
	}
}

func introspectionOf(found tokens.Introspection, all *tokens.Catalogue) introspection {
	if found.Outcome != tokens.OutcomeActive {
		return introspection{Reason: found.Reason()}
	}
	t := found.Token
	answer := introspection{
		Active:         true,
		TokenType:      "Bearer",
		Scope:          strings.Join(tokens.Texts(all.Effective(t)), " "),
		Subject:        t.ID,
		Lineage:        t.Lineage,
		OrganizationID: t.Partition(),
		Environment:    t.Environment,
		IssuedAt:       t.CreatedAt.Unix(),
		RateLimit:      t.RateLimit,
		IPAllow:        tokens.Texts(t.IPAllow),
		RotatedTo:      t.RotatedTo,
		Revision:       t.Revision,
	}
	if !t.ExpiresAt.IsZero() {
		answer.ExpiresAt = t.ExpiresAt.Unix()
	}
	return answer
}

// maxReports is how many tokens a gateway may report on at once.
const maxReports = 10_000

// decodeUsage reads thousands of reports at once, from programs and not from
// people: it is quick, and names the first fault only.
func decodeUsage(r *http.Request) ([]tokens.Use, error) {
	if _, err := jsonbody.MediaType(r.Header, plainJSON); err != nil {
		return nil, err
	}
	text, err := jsonbody.Read(r)
	if err != nil {
		return nil, err
	}
	var body struct {
		Usage []tokens.Use `json:"usage"`
	}
	if err := json.Unmarshal(text, &body, json.RejectUnknownMembers(true)); err != nil {
		return nil, &jsonbody.SyntaxError{Reason: "the body is no report of usage: " + err.Error()}
	}
	if body.Usage == nil || len(body.Usage) > maxReports {
		detail := fmt.Sprintf("usage is required, and has at most %d entries", maxReports)
		return nil, &bodyError{[]problem.Field{{Code: string(tokens.InvalidValue), Pointer: "/usage", Detail: detail}}}
	}
	return body.Usage, nil
}
