package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"path"
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
	key, err := v.once("POST " + Path)
	if err != nil {
		return answer{}, err
	}
	form := newPage{Draft: shipments.NewDraft(v.text), Key: rand.Text()}
	id, _, err := s.Service.Once(ctx, v.org, key, func(ctx context.Context) ([]byte, error) {
		made, err := s.Service.Create(ctx, v.org, shipments.Creation{Draft: form.Draft, By: v.order().By})
		return []byte(transport.ShipmentIDs.Format(made.ID)), err
	})
	if form.Faults = faultsOf(err); form.Faults != nil {
		return page("new", "New shipment", form), nil
	}
	if err != nil {
		return answer{}, err
	}
	return redirect(v.path(string(id)), "created"), nil
}

// errForm means that a form or an address is none of the pages'.
var errForm = errors.New("malformed form")

// parse reads a form without a file.
func (v *visit) parse() error {
	err := pages.ParseForm(v.Request)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	if err != nil || !pages.Storable(v.PostForm) {
		return errForm
	}
	return nil
}

// once returns the key of the form, with which the person does something once.
func (v *visit) once(operation string) (shipments.Key, error) {
	key := v.PostForm.Get("key")
	if key == "" || len(key) > maxKey {
		return shipments.Key{}, errForm
	}
	return shipments.Key{
		Operation: operation + " " + v.person.Actor(), Text: key,
		Fingerprint: sha256.Sum256([]byte(v.PostForm.Encode())),
	}, nil
}

// text returns a field of the form, in the form in which texts are stored.
func (v *visit) text(name string) string { return jsonbody.Normal(v.PostForm.Get(name)) }

// faultsOf returns the faults of a form because of which err was returned; nil: it has another cause.
func faultsOf(err error) (all pages.Faults) {
	if errors.Is(err, shipments.ErrKeyReused) {
		all.Add("create", "This form was already sent with other entries, which took effect. "+
			"Send it to create another.")
	}
	if invalid, ok := errors.AsType[*shipments.Invalid](err); ok {
		for _, f := range invalid.Faults {
			field := strings.TrimPrefix(f.Pointer, "/")
			text := f.Detail
			if rest, ok := strings.CutPrefix(text, path.Base(f.Pointer)+" "); ok {
				text = cmp.Or(labels[field], field) + " " + rest
			}
			all.Add(field, sentence(text))
		}
	}
	return all
}

// labels are the names of fields in forms, other than the API's.
var labels = map[string]string{
	"url": "Address", "origin": "From", "destination": "To", "vessel": "Vessel or flight", "save_as": "The name",
}
