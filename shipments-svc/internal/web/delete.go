package web

import (
	"cmp"
	"context"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// confirmPage asks before something is deleted.
type confirmPage struct {
	Heading, Text, Button string
	Do, Back              string // where the form is sent, and where Cancel leads
	Version               int64  // of the shipment that the person has seen; 0: it is not about one
	Key                   string // of what is done once; "": it may be done again
}

// askDelete asks before a shipment is deleted.
func (s *site) askDelete(ctx context.Context, v *visit) (answer, error) {
	found, err := s.get(ctx, v)
	if err != nil {
		return answer{}, err
	}
	return page("confirm", "Delete "+found.Reference, confirmPage{
		Heading: "Delete " + found.Reference + "?", Text: "The shipment is deleted with its history. This cannot be undone.",
		Button: "Delete shipment", Do: v.here() + "/delete", Back: v.here(), Version: found.Version,
	}), nil
}

// remove deletes the shipment in the path.
func (s *site) remove(ctx context.Context, v *visit) (answer, error) {
	o, err := v.seen()
	if err != nil {
		return answer{}, err
	}
	if _, err := s.Service.Delete(ctx, v.org, o.Order); err != nil {
		return answer{}, err
	}
	return redirect(v.path(), "removed"), nil
}

// askDetach asks before a document is deleted.
func (s *site) askDetach(ctx context.Context, v *visit) (answer, error) {
	found, err := s.get(ctx, v)
	if err != nil {
		return answer{}, err
	}
	d, err := s.document(ctx, v)
	if err != nil {
		return answer{}, err
	}
	name := cmp.Or(d.Filename, "the document")
	return page("confirm", "Delete "+name, confirmPage{
		Heading: "Delete " + name + "?", Button: "Delete document",
		Text: "The document is deleted with its file and the pallets that were read in it. The checks are made again.",
		Do:   v.here() + "/documents/" + v.PathValue("document") + "/delete", Back: v.here(), Version: found.Version,
	}), nil
}

// detach deletes the document in the path.
func (s *site) detach(ctx context.Context, v *visit) (answer, error) {
	return s.change(ctx, v, "deleted", func(ctx context.Context, o shipments.DocumentOrder) error {
		_, err := s.Service.Detach(ctx, v.org, o)
		return err
	})
}
