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
	o, err := v.seen()
	if err != nil {
		return answer{}, err
	}
	found, err := s.get(ctx, v)
	if err != nil {
		return answer{}, err
	}
	// A reason is one line, its field has several. A decision that was made meanwhile is
	// refused here, as the domain would take it for this one.
	reason := strings.Join(strings.Fields(v.text("reason")), " ")
	if !o.Expects(found.Version) {
		err = shipments.ErrVersion
	} else {
		err = do(ctx, o, reason)
	}
	if wrong := faultsOf(err); wrong != nil {
		return s.again(ctx, v, http.StatusUnprocessableEntity, reason, wrong[0].Text)
	}
	if errors.Is(err, shipments.ErrVersion) {
		return s.again(ctx, v, http.StatusPreconditionFailed, reason,
			"This shipment was changed after you opened it, and nothing was done. Look at it as it is now, and decide again.")
	}
	if err != nil {
		return answer{}, err
	}
	return redirect(v.path()+"?status="+string(shipments.ReadyForReview), done), nil
}

// again shows the shipment as it is now, with what is wrong and the reason that was typed.
func (s *site) again(ctx context.Context, v *visit, status int, reason, fault string) (answer, error) {
	p, err := s.shown(ctx, v)
	field := "reason"
	if !p.Decide {
		field = "history-heading"
		if reason != "" {
			fault += " Your reason was: " + reason
		}
	}
	p.Faults, p.Reason = pages.Faults{{Field: field, Text: fault}}, reason
	return page("shipment", p.Reference, p).as(status), err
}
