package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func (s *site) showEdit(ctx context.Context, v *visit) (answer, error) {
	head, err := s.Service.Head(ctx, v.org, v.shipment)
	return editPage(v, head.Shipment, head.Draft, nil), err
}

// edit replaces the texts of the shipment by those of the form.
func (s *site) edit(ctx context.Context, v *visit) (answer, error) {
	_, err := s.Service.Update(ctx, v.org, shipments.NewEdit(v.seen().Order, func(t shipments.TextField) *string {
		if !v.PostForm.Has(t.Name) { // of a suggestion, which is about one
			return nil
		}
		return new(v.text(t.Name))
	}))
	changed := errors.Is(err, shipments.ErrVersion)
	faults := faultsOf(err)
	if changed {
		faults.Add("edit", "This shipment was changed after you opened it, and nothing was saved. Open it again to see "+
			"what it is now, or save to replace it by what is below.")
	}
	if faults == nil {
		return redirect(v.here(), "changed"), err
	}
	head, err := s.Service.Head(ctx, v.org, v.shipment)
	typed := head.Draft
	for _, t := range shipments.TextFields {
		if v.PostForm.Has(t.Name) {
			t.Set(&typed, v.text(t.Name))
		}
	}
	a := editPage(v, head.Shipment, typed, faults)
	if changed {
		a = a.as(http.StatusPreconditionFailed)
	}
	return a, err
}

// editPage is the form for a shipment with what a person has typed.
func editPage(v *visit, of shipments.Shipment, typed shipments.Draft, faults pages.Faults) answer {
	return page("draft", "Edit "+of.Reference, draftPage{
		Faults: faults, Fields: fieldsOf(typed, shipments.TextFields), Heading: "Edit " + of.Reference, Button: "Save",
		Do: v.here() + "/edit", Back: v.here(), Version: of.Version,
	})
}
