package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/pages"
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

// errorPage returns the page of a status.
func errorPage(status int) answer {
	p, _ := pages.ProblemOf(status) // of a client that is gone there is none
	a := problemPage(status, p)
	if status == http.StatusServiceUnavailable {
		a.retryAfter = problem.RetryAfter * time.Second
	}
	return a
}

// problemPage is the page of a problem.
func problemPage(status int, p pages.Problem) answer { return page("error", p.Heading, p).as(status) }
