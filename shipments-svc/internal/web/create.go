package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// maxForm is how many bytes a form without a file may have.
const maxForm = 64 << 10

// maxKey is how many bytes the key of a form may have.
const maxKey = 64

// newPage is the form for a new shipment.
type newPage struct {
	pages.Faults
	Draft shipments.Draft
	Key   string // of this form: it creates one shipment, however often it is sent
}

func (s *site) showNew(context.Context, *visit) (answer, error) {
	return page("new", "New shipment", newPage{Key: rand.Text()}), nil
}

func (s *site) create(ctx context.Context, v *visit) (answer, error) {
	if err := v.parse(); err != nil || v.PostForm.Get("key") == "" {
		return errorPage(http.StatusNotFound), nil
	}
	form := newPage{Draft: shipments.NewDraft(v.text), Key: v.PostForm.Get("key")}
	key := shipments.Key{
		Operation: "POST " + Path + " " + v.person.Actor(), Text: form.Key,
		Fingerprint: sha256.Sum256([]byte(v.PostForm.Encode())),
	}
	id, _, err := s.Service.Once(ctx, v.org, key, func(ctx context.Context) ([]byte, error) {
		made, err := s.Service.Create(ctx, v.org, shipments.Creation{Draft: form.Draft, By: transport.Actor(v.person)})
		return []byte(transport.FormatID(made.ID)), err
	})
	if invalid, ok := errors.AsType[*shipments.Invalid](err); ok {
		form.Faults = faultsOf(invalid)
		return page("new", "New shipment", form).as(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return answer{}, err
	}
	return redirect(v.path(string(id)), "created"), nil
}

// parse reads a form without a file.
func (v *visit) parse() error {
	v.Body = http.MaxBytesReader(v.writer, v.Body, maxForm)
	if v.ParseForm() != nil {
		return shipments.ErrNotFound
	}
	if !pages.Storable(v.PostForm) || len(v.PostForm.Get("key")) > maxKey {
		return shipments.ErrNotFound // no page has such a form
	}
	return nil
}

// text returns a field of the form, in the form in which texts are stored.
func (v *visit) text(name string) string { return jsonbody.Normal(v.PostForm.Get(name)) }

// faultsOf returns the faults of the domain as those of a form.
func faultsOf(err *shipments.Invalid) (all pages.Faults) {
	for _, f := range err.Faults {
		all.Add(strings.TrimPrefix(f.Pointer, "/"), sentence(f.Detail))
	}
	return all
}
