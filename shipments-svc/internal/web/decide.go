package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// needsAcceptance reports whether what a check found is accepted before the shipment is approved.
func needsAcceptance(c shipments.Check) bool {
	return c.Result == shipments.Fail || c.Result == shipments.Warn
}

// reject rejects the shipment for a reason.
func (s *site) reject(ctx context.Context, v *visit) (answer, error) {
	return s.decide(ctx, v, "rejected", func(o shipments.Order, _ []shipments.Check, reason string) error {
		_, err := s.Service.Reject(ctx, v.org, shipments.Rejection{Order: o, Reason: reason})
		return err
	})
}

// approve approves the shipment as the form shows it. Each check that fails or warns is
// accepted, and failing ones need a reason.
func (s *site) approve(ctx context.Context, v *visit) (answer, error) {
	return s.decide(ctx, v, "approved", func(o shipments.Order, found []shipments.Check, reason string) error {
		for _, c := range found {
			if needsAcceptance(c) && !slices.Contains(v.PostForm["accept"], c.Name) {
				return faulty("/accept", "Tick each of these to approve, or reject the shipment.")
			}
		}
		a := shipments.Approval{Order: o}
		if reason != "" {
			a.Override = &reason
		}
		_, err := s.Service.Approve(ctx, v.org, a)
		if errors.As(err, new(*shipments.ChecksFailingError)) {
			return faulty("/reason", "Checks are failing. Give the reason for approving nevertheless.")
		}
		return err
	})
}

func faulty(field, text string) error {
	return &shipments.Invalid{Faults: []shipments.Fault{{Pointer: field, Detail: text}}}
}

func (s *site) decide(
	ctx context.Context, v *visit, done string, do func(o shipments.Order, found []shipments.Check, reason string) error,
) (answer, error) {
	o := v.seen()
	found, err := s.get(ctx, v)
	if err != nil {
		return answer{}, err
	}
	found.Release()
	// A reason is one line, its field has several. A decision that was made meanwhile is
	// refused here, as the domain would take it for this one.
	reason := strings.Join(strings.Fields(v.text("reason")), " ")
	if err = shipments.ErrVersion; o.Expects(found.Version) {
		err = do(o.Order, found.Checks, reason)
	}
	if wrong := faultsOf(err); wrong != nil {
		return s.again(ctx, v, http.StatusUnprocessableEntity, reason, wrong[0])
	}
	if errors.Is(err, shipments.ErrVersion) {
		return s.again(ctx, v, http.StatusPreconditionFailed, reason, pages.Fault{Field: "reason", Text: "This shipment " +
			"was changed after you opened it, and nothing was done. Look at it as it is now, and decide again."})
	}
	if err != nil {
		return answer{}, err
	}
	return s.next(ctx, v, found.CreatedAt, done), nil
}

// next leads to the shipment that waits for a review and was created last before that which was decided, or, where
// none is found, to the list of those that wait.
func (s *site) next(ctx context.Context, v *visit, before time.Time, done string) answer {
	waiting := shipments.Filter{Status: shipments.ReadyForReview, CreatedBefore: &before}
	found, err := s.Service.List(ctx, v.org, shipments.Query{Filter: waiting, PerPage: 1})
	if err == nil && len(found.Elements) > 0 {
		return redirect(v.path(transport.ShipmentIDs.Format(found.Elements[0].ID)), done+"-next")
	}
	return redirect(v.list()+"?status="+string(shipments.ReadyForReview), done)
}

// again shows the shipment as it is now, with what is wrong, what was accepted and the
// reason that was typed. What a person accepted of another version is not ticked.
func (s *site) again(ctx context.Context, v *visit, status int, reason string, fault pages.Fault) (answer, error) {
	p, err := s.shown(ctx, v, "review")
	if !p.Decide {
		fault.Field = "decided"
		if reason != "" {
			fault.Text += " Your reason was: " + reason
		}
	}
	if p.Faults, p.Reason = (pages.Faults{fault}), reason; status != http.StatusPreconditionFailed {
		p.Accepted = v.PostForm["accept"]
	}
	return p.page().as(status), err
}

// bulkPage says what became of shipments that were to be approved together.
type bulkPage struct{ Approved, Refused []pages.Link }

// approveAll approves each shipment that the form names, as the person has seen it, if no check found anything.
func (s *site) approveAll(ctx context.Context, v *visit) (answer, error) {
	var p bulkPage
	chosen := slices.Compact(slices.Sorted(slices.Values(v.PostForm["approve"])))
	for _, one := range chosen[:min(len(chosen), perPage)] {
		seen := append(strings.SplitN(one, ":", 3), "", "")
		id, err := transport.ShipmentIDs.Parse(seen[0])
		o := shipments.Order{ID: id, By: v.order().By, Expects: func(n int64) bool { return number(n) == seen[1] }}
		if err == nil {
			_, err = s.Service.Approve(ctx, v.org, shipments.Approval{Order: o, Clean: true})
		}
		if row := (pages.Link{Text: seen[2], To: v.path(seen[0])}); err == nil {
			p.Approved = append(p.Approved, row)
		} else {
			row.Text += ": " + refusal(err)
			p.Refused = append(p.Refused, row)
		}
	}
	return page("bulk", "Approved together", p), nil
}

// refusal says why a shipment was not approved with others.
func refusal(err error) string {
	failing, found := errors.AsType[*shipments.ChecksFailingError](err)
	switch {
	case found:
		return "a check found something (" + words(failing.Checks[0]) + ")"
	case errors.Is(err, shipments.ErrVersion):
		return "it was changed after you opened the list"
	case errors.As(err, new(*shipments.TransitionError)):
		return "it no longer waits for a review"
	case errors.Is(err, shipments.ErrNotFound):
		return "it was deleted"
	default:
		return "it could not be approved now; try again"
	}
}
