package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// approve approves the shipment as the form shows it. Failing checks need a reason.
func (s *site) approve(ctx context.Context, v *visit) (answer, error) {
	return s.decide(ctx, v, "approved", func(ctx context.Context, o shipments.Order, reason string) error {
		a := shipments.Approval{Order: o}
		if reason != "" {
			a.Override = &reason
		}
		_, err := s.Service.Approve(ctx, v.org, a)
		if _, failing := errors.AsType[*shipments.ChecksFailingError](err); failing {
			return &shipments.Invalid{Faults: []shipments.Fault{{
				Pointer: "/reason", Detail: "Checks are failing. Give the reason for approving nevertheless.",
			}}}
		}
		return err
	})
}

// reject rejects the shipment for a reason.
func (s *site) reject(ctx context.Context, v *visit) (answer, error) {
	return s.decide(ctx, v, "rejected", func(ctx context.Context, o shipments.Order, reason string) error {
		_, err := s.Service.Reject(ctx, v.org, shipments.Rejection{Order: o, Reason: reason})
		return err
	})
}

func (s *site) decide(
	ctx context.Context, v *visit, done string, do func(context.Context, shipments.Order, string) error,
) (answer, error) {
	if err := v.parse(); err != nil {
		return errorPage(http.StatusNotFound), nil
	}
	o, err := v.order()
	if err != nil {
		return answer{}, err
	}
	within, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	found, err := s.get(within, v)
	if err != nil {
		return answer{}, err
	}
	// Also a decision that was made meanwhile, which the domain would take for this one.
	if v.PostForm.Get("version") != number(found.Version) {
		return answer{}, shipments.ErrVersion
	}
	o.Expects = func(version int64) bool { return version == found.Version }
	reason := strings.Join(strings.Fields(v.text("reason")), " ") // a reason is one line, its field has several
	err = do(within, o, reason)
	if invalid, ok := errors.AsType[*shipments.Invalid](err); ok {
		p, err := s.shown(ctx, v)
		if err != nil {
			return answer{}, err
		}
		p.Faults, p.Reason = pages.Faults{{Field: "reason", Text: sentence(invalid.Faults[0].Detail)}}, reason
		return page("shipment", p.Reference, p).as(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return answer{}, err
	}
	return redirect(v.path()+"?status="+string(shipments.ReadyForReview), done), nil
}
