package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"github.com/quayside/quayside/tokens-svc/internal/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/identity"
	"github.com/quayside/quayside/tokens-svc/internal/problem"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// What only HTTP can get wrong.
var (
	errCredential = errors.New("no good gateway credential")
	errMediaType  = errors.New("not a form")
	errTooLarge   = errors.New("the form is too large")
	errForm       = errors.New("the form is not well formed or has not exactly one token")
)

// statusClientGone is what the log shows when a client did not wait; nobody
// receives it.
const statusClientGone = 499

// answer is a row of the table: what a kind of error looks like to clients.
type answer struct {
	err     error
	problem problem.Problem
	// challenge is WWW-Authenticate, for each 401.
	challenge string
}

var table = []answer{
	{
		err: identity.ErrMissing,
		problem: problem.New(http.StatusUnauthorized, "missing_identity", "Missing identity",
			"the request does not say for which organization it is made; send it through the gateway"),
		challenge: `Bearer realm="shipments"`,
	},
	{
		err: endpoints.ErrNotGood,
		problem: problem.New(http.StatusUnauthorized, "invalid_token", "Invalid token",
			"the API token is not valid, or no longer; use another one"),
		challenge: `Bearer realm="shipments", error="invalid_token"`,
	},
	{
		err: errCredential,
		problem: problem.New(http.StatusUnauthorized, "invalid_credential", "Invalid credential",
			"only gateways may ask; send Authorization: Bearer with the gateway credential"),
		challenge: `Bearer realm="gateways"`,
	},
	{
		err: errMediaType,
		problem: problem.New(http.StatusUnsupportedMediaType, "unsupported_media_type", "Unsupported media type",
			"send the token as application/x-www-form-urlencoded"),
	},
	{
		err: errTooLarge,
		problem: problem.New(http.StatusRequestEntityTooLarge, "body_too_large", "Body too large",
			"a token has 61 characters; the form may have 4096 bytes"),
	},
	{
		err: errForm,
		problem: problem.New(http.StatusBadRequest, "invalid_request", "Invalid request",
			"the body must be a form with exactly one parameter token"),
	},
	{err: tokens.ErrUnavailable, problem: unavailable},
	{err: context.DeadlineExceeded, problem: unavailable},
	{
		err:     context.Canceled,
		problem: problem.New(statusClientGone, "client_gone", "Client gone", "the client did not wait for the answer"),
	},
}

var unavailable = problem.New(http.StatusServiceUnavailable, "unavailable", "Unavailable",
	"tokens cannot be looked up at the moment; try again in a few seconds")

var internalError = problem.New(http.StatusInternalServerError, "internal_error", "Internal error",
	"something went wrong on our side; the request_id helps us find out what")

// answerTo returns the row for err, and whether there is one: without it err is
// a fault of this program.
func answerTo(err error) (answer, bool) {
	i := slices.IndexFunc(table, func(a answer) bool { return errors.Is(err, a.err) })
	if i < 0 {
		return answer{problem: internalError}, false
	}
	return table[i], true
}

// encodeError is go-kit's ErrorEncoder.
func encodeError(ctx context.Context, err error, w http.ResponseWriter) {
	a, _ := answerTo(err)
	a.write(w, requestFrom(ctx))
}

func (a answer) write(w http.ResponseWriter, r *http.Request) {
	if a.challenge != "" {
		w.Header().Set("WWW-Authenticate", a.challenge)
	}
	w.Header().Set("Cache-Control", "no-store")
	a.problem.RequestID = requestID(r)
	_ = a.problem.Write(w, r) // the client is gone: there is nobody left to tell
}

// reporter is go-kit's ErrorHandler. It logs what operators must see: faults of
// this program, and why Postgres could not be asked. What clients do wrong is
// in the access log.
type reporter struct{ log *slog.Logger }

// Handle implements go-kit's transport.ErrorHandler.
func (h reporter) Handle(ctx context.Context, err error) {
	a, known := answerTo(err)
	level := slog.LevelError
	switch {
	case known && a.problem.Status < http.StatusInternalServerError:
		return
	case known:
		level = slog.LevelWarn
	}
	h.log.LogAttrs(ctx, level, a.problem.Code,
		slog.String("error", err.Error()), slog.String("request_id", requestID(requestFrom(ctx))))
}
