package tokengate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/pages"
)

// Refusals of the gate's own steps.
var (
	missingToken = problem.New(http.StatusUnauthorized, "missing_token", "Missing API token",
		"This request needs the header Authorization: Bearer <API token>.")
	invalidToken = problem.New(http.StatusUnauthorized, "invalid_token", "Invalid API token",
		"The API token is unknown.")
	malformedToken = withDetail(invalidToken,
		"The API token is malformed: send it whole, in one Authorization header.")
	revokedToken      = withDetail(invalidToken, "The API token was revoked.")
	expiredToken      = withDetail(invalidToken, "The API token has expired.")
	addressNotAllowed = problem.New(http.StatusForbidden, "address_not_allowed", "Address not allowed",
		"The API token may not be used from this address.")
	signInRequired = problem.New(http.StatusUnauthorized, "sign_in_required", "Sign-in required",
		"This page is for people who have signed in, at /sign-in. Programs use the API with a token.")
	crossOriginRefused = problem.New(http.StatusForbidden, "cross_origin", "Request from another site",
		"No changes were made. Open the page itself and send the form from there.")
	rateLimited = problem.New(http.StatusTooManyRequests, "rate_limited", "Rate limit exceeded",
		"Too many requests; wait until the time in X-RateLimit-Reset.")
	addressLimited  = withDetail(rateLimited, "There were too many requests from your address.") // without a token
	tooManyInFlight = retryAfter(1, problem.New(http.StatusTooManyRequests, "too_many_in_flight",
		"Too many requests in flight", "Too many requests from your address are in flight: read their responses first."))
	overloaded = problem.New(http.StatusServiceUnavailable, "overloaded", "Gateway overloaded",
		"Too many requests without a known token or session are in flight at the gateway.")
	authUnavailable = problem.New(http.StatusServiceUnavailable, "auth_unavailable", "Authentication unavailable",
		"The API token cannot be checked at the moment; it may well be valid.")
	sessionUnavailable = withDetail(authUnavailable, "Your session cannot be checked at the moment.")
	limiterUnavailable = problem.New(http.StatusServiceUnavailable, "limiter_unavailable", "Rate limiter unavailable",
		"The request cannot be counted at the moment.")
)

// StatusClientClosedRequest is the status recorded when the client closed its connection (nginx's 499).
const StatusClientClosedRequest = 499

// clientClosed is recorded for a client that closed its connection before the response. A client that closed one
// direction only receives it.
var clientClosed = problem.New(StatusClientClosedRequest, "client_closed_request", "Client closed request",
	"The connection was closed before the request was complete, or before its response.")

// statusProblems are the responses to errors of the next handlers. Their status is set where they are used.
var statusProblems = map[int]problem.Problem{
	http.StatusBadRequest: problem.New(0, "bad_request", "Bad request", "The request cannot be understood."),
	http.StatusNotFound:   problem.New(0, "not_found", "Not found", "There is nothing at this path."),
	http.StatusMethodNotAllowed: problem.New(0, "method_not_allowed", "Method not allowed",
		"The method is not allowed at this path."),
	http.StatusRequestTimeout: problem.New(0, "request_timeout", "Request timeout",
		"The request body stopped, or came at less than 64 KiB/s after its first 20 s."),
	http.StatusRequestEntityTooLarge: problem.New(0, "body_too_large", "Body too large",
		"The request body is larger than the gateway accepts."),
	http.StatusInternalServerError: problem.New(0, "internal_error", "Internal error",
		"The request failed; tell us its request_id."),
	http.StatusBadGateway: problem.New(0, "upstream_unreachable", "Service unreachable",
		"The service behind the gateway cannot be reached."),
	http.StatusServiceUnavailable: problem.New(0, "upstream_unavailable", "Service unavailable",
		"The service behind the gateway is not available."),
	http.StatusGatewayTimeout: problem.New(0, "upstream_timeout", "Service timed out",
		"The service behind the gateway did not answer in time."),
}

// problemWith returns the problem of a status.
func problemWith(status int) problem.Problem {
	p, known := statusProblems[status]
	switch {
	case known:
	case status >= http.StatusInternalServerError:
		status = http.StatusInternalServerError
		p = statusProblems[status]
	default:
		p = statusProblems[http.StatusBadRequest]
	}
	p.Status = status
	return p
}

func withDetail(p problem.Problem, detail string) problem.Problem {
	p.Detail = detail
	return p
}

func retryAfter(seconds int, p problem.Problem) problem.Problem {
	p.RetryAfter = seconds
	return p
}

// until returns p with a Retry-After at the end of an empty window.
func until(window ratelimit.State, p problem.Problem) problem.Problem {
	return retryAfter(window.SecondsLeft(), p)
}

// problemOf returns the response to an error of the gate or of the next handlers.
func problemOf(err error) problem.Problem {
	if p, refused := errors.AsType[problem.Problem](err); refused {
		return p
	}
	status := http.StatusInternalServerError
	if handlerErr, ok := errors.AsType[caddyhttp.HandlerError](err); ok {
		switch {
		case handlerErr.StatusCode == StatusClientClosedRequest:
			return clientClosed
		case http.StatusText(handlerErr.StatusCode) != "":
			status = handlerErr.StatusCode
		}
	}
	p := problemWith(status)
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Detail = fmt.Sprintf("The request body is larger than the %.3g MiB that the gateway accepts here.",
			float64(large.Limit)/(1<<20))
	}
	return p
}

// answer responds to err, unless a response has begun. In handle_errors restyle is the next handler.
func (x *exchange) answer(r *http.Request, err error, restyle caddyhttp.Handler) {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError && errors.Is(r.Context().Err(), context.Canceled) {
		p = clientClosed // which caused the failure
	}
	if p.Status == http.StatusServiceUnavailable {
		p.RetryAfter = cmp.Or(p.RetryAfter, problem.RetryAfter)
	}
	if _, refused := errors.AsType[problem.Problem](err); refused {
		// net/http waits for the body that the client holds back, unless the connection is to close
		x.closes = x.closes || r.ProtoMajor == 1 && r.Header.Get("Expect") != ""
		requestsTotal.WithLabelValues(p.Code).Inc()
		x.gate.emit("token_gate_"+p.Code, map[string]any{
			"code": p.Code, "status": p.Status, "client": x.client, "subject": x.principal.Subject,
		})
		x.enterRefusal(p) //nolint:contextcheck // a wait for a place does not end with the client
	} else {
		x.failure = upstreamFailed(x.vars, p, err)
	}
	if x.status == 0 {
		x.setHeaders(p)
	}
	if restyle != nil && x.status == 0 {
		present, _ := r.Context().Value(caddyhttp.ErrorCtxKey).(caddyhttp.HandlerError)
		unhandled := cmp.Or(present.StatusCode, http.StatusInternalServerError) // what Caddy's last handler sets
		err = restyle.ServeHTTP(errorWriter{x}, r)
		if chosen := x.held != 0 && x.held != unhandled; chosen && err == nil {
			x.implicitHeader() // such as a redirect
		}
	}
	if x.status == 0 {
		x.write(r, p)
	}
	x.body.linger(r)
}

// errorWriter is the writer of the handlers in handle_errors. It keeps a status without a body back, because Caddy's
// last handler there writes nothing else.
type errorWriter struct{ *exchange }

// WriteHeader implements http.ResponseWriter.
func (w errorWriter) WriteHeader(status int) { w.held = status }

// unanswered is the error of an exchange that the gate in handle_errors goes on with.
type unanswered struct {
	*exchange

	cause error
	take  func() bool // reports that the request has not ended meanwhile
}

// Error is the placeholder {err.message}.
func (u *unanswered) Error() string { return problemOf(u.cause).Detail }

// leaveUnanswered returns err for Caddy, and gives the place of the request back. Where no gate takes the exchange, it
// ends with the request.
func (x *exchange) leaveUnanswered(r *http.Request, err error) error {
	x.left = true
	x.release()
	ended := *x // of its own, because handlers may still run when the client leaves
	ended.status, ended.vars = problemOf(err).Status, map[string]any{kindVar: x.vars[kindVar]}
	return caddyhttp.HandlerError{
		StatusCode: ended.status, Err: &unanswered{x, err, context.AfterFunc(r.Context(), ended.note)},
	}
}

// restyles reports whether the routes of handle_errors have a gate, and handlers beside it.
func restyles(routes caddyhttp.RouteList) bool {
	gate, other := false, false
	var walk func(caddyhttp.RouteList)
	walk = func(routes caddyhttp.RouteList) {
		for _, route := range routes {
			for _, handler := range route.Handlers {
				switch handler := handler.(type) {
				case *Gate:
					gate = true
				case *caddyhttp.Subroute:
					walk(handler.Routes)
				default:
					other = true
				}
			}
		}
	}
	walk(routes)
	return gate && other
}

// setHeaders sets what a client does next by: how to authenticate (RFC 6750, section 3), and when to try again. It
// holds also for a body of handle_errors.
func (x *exchange) setHeaders(p problem.Problem) {
	header := x.Header()
	challenge, separator := "Bearer", " "
	if x.gate.Realm != "" {
		challenge, separator = `Bearer realm="`+x.gate.Realm+`"`, ", "
	}
	switch p.Code {
	case missingToken.Code:
		header["WWW-Authenticate"] = []string{challenge}
	case invalidToken.Code:
		header["WWW-Authenticate"] = []string{
			challenge + separator + `error="invalid_token", error_description="` + p.Detail + `"`,
		}
	}
	if p.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
}

// write responds with p, as JSON or as a page.
func (x *exchange) write(r *http.Request, p problem.Problem) {
	header := x.Header()
	if x.html && p.Code == signInRequired.Code {
		header.Set("Location", x.location)
		header.Set("Cache-Control", "no-store")
		x.WriteHeader(http.StatusSeeOther)
		return
	}
	header["Vary"] = append(header["Vary"], "Accept") // HTML for browsers
	p.Instance, p.RequestID = x.path, x.id
	if !x.html || x.gate.pages == nil {
		p.Write(x, r)
		return
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { x.gate.writePage(w, p) })
	pages.Harden(page, false).ServeHTTP(x, r)
}

// writePage answers a browser with p.
func (g *Gate) writePage(w http.ResponseWriter, p problem.Problem) {
	text := p.Detail
	if p.Status == http.StatusRequestEntityTooLarge {
		text += " Nothing was done. Go back and send a smaller file, or enter less."
	}
	if p.RetryAfter > 0 {
		text += fmt.Sprintf(" Please try again in %d s.", p.RetryAfter)
	}
	var page struct {
		pages.Frame

		RequestID string
		Data      pages.Problem
	}
	page.Title, page.RequestID = p.Title, p.RequestID
	page.Data = pages.Problem{Heading: p.Title, Text: text, To: "/", Link: "Go to the start page", ShowRequest: true}
	_ = g.pages.Write(w, p.Status, "error", page)
}

// ServiceVar is the variable in which a proxy names the service of a request, for metrics.
const ServiceVar = "token_gate.service"

// upstreamFailed counts a request that a later handler ended with err and the gate answered with p. It returns the
// reason for the access log, or nothing if no service failed. That a service is away is in the log of its addresses.
func upstreamFailed(vars map[string]any, p problem.Problem, err error) (reason string) {
	if p.Status < http.StatusInternalServerError {
		return ""
	}
	service, _ := vars[ServiceVar].(string)
	serviceFailuresTotal.WithLabelValues(service, p.Code).Inc()
	return reasonOf(err)
}

// quoted is what errors repeat of what they could not read: it may be anything.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// reasonOf is the text of err without Caddy's account of where it came from, and without what it quotes.
func reasonOf(err error) string {
	if handlerErr, ok := errors.AsType[caddyhttp.HandlerError](err); ok && handlerErr.Err != nil {
		err = handlerErr.Err
	}
	return quoted.ReplaceAllString(err.Error(), `"…"`)
}

// prefersHTML reports whether the Accept header of a request names text/html and no JSON, as every browser's does when
// it navigates; */* alone is a program's. Below apiPrefix all are programs: libraries, such as Java's, name text/html.
func prefersHTML(r *http.Request) bool {
	types := strings.ToLower(strings.Join(r.Header["Accept"], ","))
	return strings.Contains(types, "text/html") && !strings.Contains(types, "json") &&
		!strings.HasPrefix(r.URL.Path, apiPrefix)
}

// apiPrefix begins the paths of programs, which are asked for a token before they learn what is there, and whose errors
// are problem+json.
const apiPrefix = "/api/"
