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
	if err := v.parse(); err != nil {
		return answer{}, err
	}
	if v.PostForm.Get("key") == "" {
		return answer{}, shipments.ErrNotFound
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

// parse reads a form without a file. One that no page sends is ErrNotFound.
func (v *visit) parse() error {
	err := pages.ParseForm(v.Request)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	if err != nil || !pages.Storable(v.PostForm) || len(v.PostForm.Get("key")) > maxKey {
		return shipments.ErrNotFound
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
