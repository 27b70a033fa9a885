package tokengate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
	details "github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/upstream"
)

// problem is a response of the gateway itself (RFC 9457).
type problem struct {
	Title  string
	Status int
	Detail string
	Code   string

	advice string // to people, on a page; may be empty

	// retryAfter is the Retry-After header in seconds; 0 means none.
	retryAfter int
}

// The answers of the gate's own steps.
var (
	missingToken = problem{
		Status: http.StatusUnauthorized, Code: "missing_token", Title: "Missing API token",
		Detail: "This request needs the header Authorization: Bearer <API token>.",
	}
	invalidToken = problem{
		Status: http.StatusUnauthorized, Code: "invalid_token", Title: "Invalid API token",
		Detail: "The API token is unknown.",
	}
	malformedToken    = invalidToken.withDetail("The API token is malformed: send it whole, in one Authorization header.")
	revokedToken      = invalidToken.withDetail("The API token was revoked.")
	expiredToken      = invalidToken.withDetail("The API token has expired.")
	addressNotAllowed = problem{
		Status: http.StatusForbidden, Code: "address_not_allowed", Title: "Address not allowed",
		Detail: "The API token may not be used from this address.",
	}
	rateLimited = problem{
		Status: http.StatusTooManyRequests, Code: "rate_limited", Title: "Rate limit exceeded",
		Detail: "Too many requests; wait until the time in X-RateLimit-Reset.",
	}
	addressLimited  = rateLimited.withDetail("There were too many requests from your address.") // without a token
	tooManyInFlight = problem{
		Status: http.StatusTooManyRequests, Code: "too_many_in_flight", Title: "Too many requests in flight", retryAfter: 1,
		Detail: "Too many requests from your address are in flight: read their responses first.",
	}
	overloaded = problem{
		Status: http.StatusServiceUnavailable, Code: "overloaded", Title: "Gateway overloaded", retryAfter: 2,
		Detail: "Too many requests without a known token or session are in flight at the gateway.",
	}
	authUnavailable = problem{
		Status: http.StatusServiceUnavailable, Code: "auth_unavailable", Title: "Authentication unavailable", retryAfter: 2,
		Detail: "The API token cannot be checked at the moment; it may well be valid.",
	}
	// clientClosed is recorded for a client that closed its connection before the response. A client that closed one
	// direction only receives it.
	clientClosed = problem{
		Status: upstream.StatusClientClosedRequest, Code: "client_closed_request", Title: "Client closed request",
		Detail: "The connection was closed before the request was complete, or before its response.",
	}
	limiterUnavailable = problem{
		Status: http.StatusServiceUnavailable, Code: "limiter_unavailable", Title: "Rate limiter unavailable", retryAfter: 2,
		Detail: "The request cannot be counted at the moment.",
	}
)

// chainProblems are the responses to errors of the next handlers.
var chainProblems = map[int]problem{
	http.StatusBadRequest: {
		Code: "bad_request", Title: "Bad request",
		Detail: "The request cannot be understood.",
	},
	http.StatusNotFound: {Code: "not_found", Title: "Not found", Detail: "There is nothing at this path."},
	http.StatusMethodNotAllowed: {
		Code: "method_not_allowed", Title: "Method not allowed",
		Detail: "The method is not allowed at this path.",
	},
	http.StatusRequestTimeout: {
		Code: "request_timeout", Title: "Request timeout",
		Detail: "The request body stopped, or came at less than 64 KiB/s after its first 20 s.",
	},
	http.StatusRequestEntityTooLarge: {
		Code: "body_too_large", Title: "Body too large",
		Detail: "The request body is larger than the gateway accepts.",
		advice: "Nothing was done. Go back and send a smaller file, or enter less.",
	},
	http.StatusInternalServerError: {
		Code: "internal_error", Title: "Internal error",
		Detail: "The request failed; tell us its request_id.",
	},
	http.StatusBadGateway: {
		Code: "upstream_unreachable", Title: "Service unreachable",
		Detail: "The service behind the gateway cannot be reached.",
	},
	http.StatusServiceUnavailable: {
		Code: "upstream_unavailable", Title: "Service unavailable",
		Detail: "The service behind the gateway is not available.", retryAfter: 2,
	},
	http.StatusGatewayTimeout: {
		Code: "upstream_timeout", Title: "Service timed out",
		Detail: "The service behind the gateway did not answer in time.",
	},
}

// problemOf returns the response to an error of the next handlers.
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
	p := *problemWith(status)
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Detail = fmt.Sprintf("The request body is larger than the %.3g MiB that the gateway accepts here.",
			float64(large.Limit)/(1<<20))
	}
	return p
}

// problemWith returns the problem of a status.
func problemWith(status int) *problem {
	p, known := chainProblems[status]
	switch {
	case known:
	case status >= http.StatusInternalServerError:
		status = http.StatusInternalServerError
		p = chainProblems[status]
	default:
		p = chainProblems[http.StatusBadRequest]
	}
	p.Status = status
	return &p
}

// withDetail returns p with another detail.
func (p problem) withDetail(detail string) problem {
	p.Detail = detail
	return p
}

// until returns p with a Retry-After at the end of an empty window.
func (p problem) until(window ratelimit.State) *problem {
	p.retryAfter = window.SecondsLeft()
	return &p
}

// write responds with p as JSON, as the services do.
func (p problem) write(w http.ResponseWriter, instance, requestID string) error {
	of := details.New(p.Status, p.Code, p.Title, p.Detail)
	of.Instance, of.RequestID = instance, requestID
	body, err := json.Marshal(of)
	if err != nil {
		return err
	}
	return p.send(w, "application/problem+json", append(body, '\n'))
}

// send responds with body and the headers of p.
func (p problem) send(w http.ResponseWriter, contentType string, body []byte) error {
	header := w.Header()
	header["Content-Type"] = []string{contentType}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	header["Vary"] = append(header["Vary"], "Accept") // HTML for browsers
	if p.retryAfter > 0 {
		header["Retry-After"] = []string{strconv.Itoa(p.retryAfter)}
	}
	w.WriteHeader(p.Status)
	_, err := w.Write(body)
	return err
}
