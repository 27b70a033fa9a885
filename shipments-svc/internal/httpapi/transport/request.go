package transport

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// caller is the principal of a request, read once.
type caller struct {
	assertion.Identity
	org     shipments.OrgID
	actor   shipments.Actor
	err     error         // assertion.ErrMissing without an identity
	request *http.Request // as the route has it, for encoders
	writer  http.ResponseWriter
	key     *shipments.Key // nil: it has none
	at      string         // the pointer at which the body has what the method gets

	replayed bool // the response is that of an earlier request with the key
}

type callerKey struct{}

// identified reads the identity of a request once and keeps it in the context.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &caller{writer: w}
		c.Identity, c.err = assertion.FromHeader(r.Header)
		c.org, c.actor = shipments.OrgID(c.OrganizationID), shipments.Actor{ID: c.Actor(), Name: c.UserName}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

func callerOf(ctx context.Context) *caller { return ctx.Value(callerKey{}).(*caller) }

// logAttrs identifies a request and its principal.
func logAttrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("request_id", requestid.Of(r))}
	if c := callerOf(r.Context()); c.err == nil {
		attrs = append(attrs, slog.String("organization_id", c.Organization), slog.String("token_id", c.Token))
	}
	return attrs
}

// The public identifiers of the API.
var (
	ShipmentIDs = ids[shipments.ID]{"ship", shipments.ErrNotFound}
	DocumentIDs = ids[shipments.DocumentID]{"doc", shipments.ErrNoDocument}
	TemplateIDs = ids[shipments.TemplateID]{"mt", shipments.ErrNoTemplate}
	EventIDs    = ids[shipments.EventID]{"evt", shipments.ErrNotFound}
	WebhookIDs  = ids[webhooks.ID]{"we", webhooks.ErrNotFound}
)

// ids formats and parses the public identifiers of one kind. A malformed one is the error
// of one that does not exist.
type ids[ID ~[16]byte] struct {
	prefix  string
	unknown error
}

// Format returns the public identifier.
func (i ids[ID]) Format(id ID) string { return publicid.Format(i.prefix, uuid.UUID(id)) }

// Parse returns the identifier that text is.
func (i ids[ID]) Parse(text string) (ID, error) {
	id, ok := publicid.Parse(i.prefix, text)
	if !ok {
		return ID{}, i.unknown
	}
	return ID(id), nil
}

// decode reads a request that is the id in its path.
func (i ids[ID]) decode(r *http.Request) (ID, error) {
	if err := query.Read(r).Err(); err != nil {
		return ID{}, err
	}
	return i.Parse(r.PathValue("id"))
}
