package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/query"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// tokenView is the answer that shows one token.
type tokenView struct {
	Token wire.Token `json:"token"`
}

// meta says which part of a list an answer is.
type meta struct {
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
	Total   int `json:"total"`
}

func encodeShown(_ *http.Request, s endpoints.Shown) reply {
	shown := wire.NewToken(s.Token, s.Token.Status(s.Now))
	if s.Usage != nil {
		shown.Usage = wire.NewUsage(*s.Usage)
	}
	return reply{status: http.StatusOK, body: tokenView{shown}}
}

// encodeSelf shows a token to its holder. The creator is left out: a
// person's e-mail address is not for every holder of the token.
func encodeSelf(_ *http.Request, s endpoints.Shown) reply {
	shown := wire.NewToken(s.Token, s.Token.Status(s.Now))
	shown.CreatedBy = nil
	return reply{status: http.StatusOK, body: tokenView{shown}}
}

// encodeRevoked shows a revoked token and its active children.
func encodeRevoked(_ *http.Request, r endpoints.Revoked) reply {
	var header http.Header
	if r.Replayed {
		header = http.Header{idempotency.Replayed: {"true"}}
	}
	return reply{status: http.StatusOK, header: header, body: struct {
		tokenView
		ActiveChildren int `json:"active_children"`
	}{tokenView{wire.NewToken(r.Token, r.Token.Status(r.Now))}, r.ActiveChildren}}
}

func encodeEnded(*http.Request, endpoints.Revoked) reply { return reply{status: http.StatusNoContent} }

func encodeMade(_ *http.Request, m endpoints.Made) reply {
	return created(m.Token, wire.NewCreated(m.Token, m.Token.Status(m.Now), m.Secret))
}

func encodeRotated(r *http.Request, done endpoints.Rotated) reply {
	shown := wire.NewRotation(done.Rotation, done.Now)
	if r.PathValue("id") == "" { // the token itself asked
		shown.Token.CreatedBy, shown.Previous.CreatedBy = nil, nil
	}
	return created(done.Token, shown)
}

func encodeList(r *http.Request, l endpoints.List) reply {
	return reply{
		status: http.StatusOK,
		header: http.Header{"Link": {query.PageLinks(r.URL, int64(l.Page.Number), int64(l.Page.Size), int64(l.Total))}},
		body: struct {
			Tokens []wire.Token `json:"tokens"`
			Meta   meta         `json:"meta"`
		}{wire.NewTokens(l.Tokens, l.Usage, l.Now), meta{l.Page.Number, l.Page.Size, l.Total}},
	}
}

func encodeEvents(r *http.Request, e endpoints.Events) reply {
	return reply{
		status: http.StatusOK,
		header: http.Header{"Link": {query.PageLinks(r.URL, int64(e.Page.Number), int64(e.Page.Size), int64(e.Total))}},
		body: struct {
			Events []wire.AuditEvent `json:"audit_events"`
			Meta   meta              `json:"meta"`
		}{wire.NewAuditEvents(e.Events), meta{e.Page.Number, e.Page.Size, e.Total}},
	}
}

// created answers with a new token and where it is. The secret is in the body,
// this once.
func created(t tokens.Token, body any) reply {
	return reply{status: http.StatusCreated, header: http.Header{"Location": {"/api/v1/tokens/" + string(t.ID)}}, body: body}
}
