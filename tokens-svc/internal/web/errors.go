package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/problem"
	"github.com/quayside/quayside/tokens-svc/internal/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// statusClientGone is what the log shows when a client did not wait; nobody
// receives it.
const statusClientGone = 499

// statusOf is the one table from errors to statuses.
func statusOf(err error) int {
	for _, row := range []struct {
		err    error
		status int
	}{
		{tokens.ErrNotFound, http.StatusNotFound},
		{tokens.ErrForbidden, http.StatusForbidden},
		{people.ErrForbidden, http.StatusForbidden},
		{tokens.ErrUnavailable, http.StatusServiceUnavailable},
		{oidc.ErrUnavailable, http.StatusServiceUnavailable},
		{context.DeadlineExceeded, http.StatusServiceUnavailable},
		{context.Canceled, statusClientGone},
	} {
		if errors.Is(err, row.err) {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// errorText is what an error page says.
type errorText struct {
	Heading, Text string
	To, Link      string // where to go on
	ShowRequest   bool   // the request's id helps us
}

var errorTexts = map[int]errorText{
	http.StatusBadRequest: {
		Heading: "This request cannot be read", Text: "Go back and try again from the page itself.",
	},
	http.StatusForbidden: {
		Heading: "Your role does not allow this",
		Text:    "Nothing was done. An owner or admin of the organization can do it, or change your role.",
	},
	http.StatusNotFound: {
		Heading: "There is nothing here",
		Text:    "The address may be mistyped, or what it leads to belongs to an organization that you are not a member of.",
	},
	http.StatusMethodNotAllowed: {Heading: "This cannot be done here", Text: "Go back and use the page's own buttons."},
	http.StatusConflict:         {Heading: "This was done already"},
	http.StatusInternalServerError: {
		Heading: "Something went wrong on our side", Text: "It has been noted. If it stays, send us the number below.", ShowRequest: true,
	},
	http.StatusServiceUnavailable: {
		Heading:     "Not available at the moment",
		Text:        "Wait a few seconds and reload. If you were changing something, look whether it happened before you do it again.",
		ShowRequest: true,
	},
	statusClientGone: {Heading: "Cancelled"},
}

// errorPage returns the page of a status.
func errorPage(status int) answer {
	text := errorTexts[status]
	if text.To == "" {
		text.To, text.Link = "/settings", "Go to settings"
	}
	a := page("error", text.Heading, text).as(status)
	if status == http.StatusServiceUnavailable {
		a.retryAfter = problem.RetryAfter * time.Second
	}
	return a
}
