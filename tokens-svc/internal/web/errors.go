package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// statusClientGone is the status in the log when the client closed the connection; no client
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
		{people.ErrLastOwner, http.StatusConflict},
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

// errorText is the content of an error page.
type errorText struct {
	Heading, Text string
	To, Link      string // where to go on
	ShowRequest   bool   // the request's id helps us
}

// answer is the page with this text.
func (t errorText) answer(status int) answer {
	if t.To == "" {
		t.To, t.Link = "/settings", "Go to your organizations"
	}
	return page("error", t.Heading, t).as(status)
}

var errorTexts = map[int]errorText{
	http.StatusBadRequest: {
		Heading: "Invalid request", Text: "Go back, reload the page and try again.",
	},
	http.StatusRequestEntityTooLarge: {
		Heading: "Form too large", Text: "No changes were made. Go back and shorten what you entered.",
	},
	http.StatusForbidden: {
		Heading: "You don't have permission",
		Text:    "No changes were made. Ask an owner or admin of the organization.",
	},
	http.StatusNotFound: {
		Heading: "Page not found",
		Text:    "The address may be incorrect, or the page may belong to an organization that you aren't a member of.",
	},
	http.StatusMethodNotAllowed: {Heading: "Method not allowed", Text: "Go back and use the buttons on the page."},
	http.StatusInternalServerError: {
		Heading: "Something went wrong",
		Text:    "The error was logged. If it persists, contact support with the request ID below.", ShowRequest: true,
	},
	http.StatusServiceUnavailable: {
		Heading: "Temporarily unavailable",
		Text: "Wait a few seconds and reload. If you were making a change, check whether it took effect before you " +
			"repeat it.",
		ShowRequest: true,
	},
	statusClientGone: {Heading: "Cancelled"},
}

// errorPage returns the page of a status.
func errorPage(status int) answer {
	a := errorTexts[status].answer(status)
	if status == http.StatusServiceUnavailable {
		a.retryAfter = problem.RetryAfter * time.Second
	}
	return a
}
