package tokengate

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/upstream"
)

// problem is an answer by the gateway itself (RFC 9457). Its texts are ours and need no escaping.
type problem struct {
	Title  string
	Status int
	Detail string
	Code   string

	// challenge selects the WWW-Authenticate header.
	challenge challenge
	// retryAfter is the Retry-After header in seconds; 0 means none.
	retryAfter int
}

// challenge is a kind of WWW-Authenticate header (RFC 6750, section 3).
type challenge int

const (
	noChallenge challenge = iota
	tokenChallenge
	invalidTokenChallenge
)

// header returns the value of WWW-Authenticate for that realm.
func (c challenge) header(realm string) string {
	text := `Bearer realm="` + realm + `"`
	if c == invalidTokenChallenge {
		text += `, error="invalid_token"`
	}
	return text
}

// The answers of the gate's own steps.
var (
	missingToken = problem{
		Status: http.StatusUnauthorized, Code: "missing_token", Title: "Missing API token", challenge: tokenChallenge,
		Detail: "This request needs the header Authorization: Bearer <API token>.",
	}
	invalidToken = problem{
		Status: http.StatusUnauthorized, Code: "invalid_token", Title: "Invalid API token", challenge: invalidTokenChallenge,
		Detail: "The API token is malformed, unknown, revoked or expired.",
	}
	revokedToken      = invalidToken.saying("The API token was revoked.")
	expiredToken      = invalidToken.saying("The API token has expired.")
	addressNotAllowed = problem{
		Status: http.StatusForbidden, Code: "address_not_allowed", Title: "Address not allowed",
		Detail: "The API token may not be used from this address.",
	}
	rateLimited = problem{
		Status: http.StatusTooManyRequests, Code: "rate_limited", Title: "Rate limit exceeded",
		Detail: "Too many requests; wait until the time in X-RateLimit-Reset.",
	}
	authUnavailable = problem{
		Status: http.StatusServiceUnavailable, Code: "auth_unavailable", Title: "Authentication unavailable", retryAfter: 2,
		Detail: "The API token cannot be checked at the moment; it may well be valid.",
	}
	// clientClosed is recorded for a client that closed its connection before the response. Nobody reads it, unless only
	// one direction was closed.
	clientClosed = problem{
		Status: upstream.StatusClientClosedRequest, Code: "client_closed_request", Title: "Client closed request",
		Detail: "The connection was closed before the request was complete, or before its response.",
	}
	limiterUnavailable = problem{
		Status: http.StatusServiceUnavailable, Code: "limiter_unavailable", Title: "Rate limiter unavailable", retryAfter: 2,
		Detail: "The request cannot be counted at the moment.",
	}
)

// chainProblems are the answers for what handlers behind the gate return as an error.
var chainProblems = map[int]problem{
	http.StatusBadRequest:            {Code: "bad_request", Title: "Bad request", Detail: "The request cannot be understood."},
	http.StatusNotFound:              {Code: "not_found", Title: "Not found", Detail: "There is nothing at this path."},
	http.StatusMethodNotAllowed:      {Code: "method_not_allowed", Title: "Method not allowed", Detail: "The method is not allowed at this path."},
	http.StatusRequestTimeout:        {Code: "request_timeout", Title: "Request timeout", Detail: "The request body stopped, or came at less than 64 KiB/s after its first 20 s."},
	http.StatusRequestEntityTooLarge: {Code: "body_too_large", Title: "Body too large", Detail: "The request body is larger than the gateway accepts."},
	http.StatusInternalServerError:   {Code: "internal_error", Title: "Internal error", Detail: "The request failed; tell us its request_id."},
	http.StatusBadGateway:            {Code: "upstream_unreachable", Title: "Service unreachable", Detail: "The service behind the gateway cannot be reached."},
	http.StatusServiceUnavailable:    {Code: "upstream_unavailable", Title: "Service unavailable", Detail: "The service behind the gateway is not available.", retryAfter: 2},
	http.StatusGatewayTimeout:        {Code: "upstream_timeout", Title: "Service timed out", Detail: "The service behind the gateway did not answer in time."},
}

// problemOf returns the answer for an error of the handlers behind the gate.
func problemOf(err error) problem {
	status := http.StatusInternalServerError
	if handlerErr, ok := errors.AsType[caddyhttp.HandlerError](err); ok {
		switch {
		case handlerErr.StatusCode == upstream.StatusClientClosedRequest:
			return clientClosed
		case http.StatusText(handlerErr.StatusCode) != "":
			status = handlerErr.StatusCode
		}
	}
	p, known := chainProblems[status]
	switch {
	case known:
	case status >= 500:
		status = http.StatusInternalServerError
		p = chainProblems[status]
	default:
		p = chainProblems[http.StatusBadRequest]
	}
	p.Status = status
	return p
}

// saying returns p with another detail.
func (p problem) saying(detail string) problem {
	p.Detail = detail
	return p
}

// write answers with p as JSON, completed by what only the request knows. The members go out in the same order
// as the services'.
func (p problem) write(w http.ResponseWriter, instance, requestID string) error {
	body := make([]byte, 0, 512)
	body = append(append(body, `{"type":"/problems/`...), p.Code...)
	body = append(append(body, `","title":"`...), p.Title...)
	body = strconv.AppendInt(append(body, `","status":`...), int64(p.Status), 10)
	body = append(append(body, `,"detail":"`...), p.Detail...)
	body = appendQuoted(append(body, `","instance":`...), instance)
	body = append(append(body, `,"code":"`...), p.Code...)
	body = append(append(body, `","request_id":"`...), requestID...)
	body = append(body, "\"}\n"...)
	return p.send(w, "application/problem+json", body)
}

// appendQuoted appends text as a JSON string.
func appendQuoted(to []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(text) // a string always has a JSON form
			return append(to, quoted...)
		}
	}
	return append(append(append(to, '"'), text...), '"')
}

// send answers with body and the headers that go with p.
func (p problem) send(w http.ResponseWriter, contentType string, body []byte) error {
	header := w.Header()
	header["Content-Type"] = []string{contentType}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	header["Vary"] = append(header["Vary"], "Accept") // HTML for browsers
	if p.retryAfter > 0 {
		header["Retry-After"] = []string{strconv.Itoa(p.retryAfter)}
	}
	w.WriteHeader(p.Status)
	_, err := w.Write(body) //nolint:gosec // G705: JSON in which every string is escaped, or what html/template made
	return err
}
