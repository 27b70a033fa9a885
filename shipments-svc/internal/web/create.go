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
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// maxKey is how many bytes the key of a form may have.
const maxKey = 64

// draftPage is the form for the texts of a shipment, a new one or one that exists.
type draftPage struct {
	pages.Faults
	Fields  []draftField
	Types   []shipments.DocumentType // of documents that are attached as well; nil: none are
	Heading string
	Button  string
	Do      string // where the form is sent
	Back    string // where Cancel leads
	Key     string // of this form: it creates one shipment, however often it is sent
	Version int64  // that a person has seen; 0: of a new one
}

// draftField is the input of a text.
type draftField struct {
	shipments.TextField
	Label, Value string
}

func fieldsOf(d shipments.Draft, texts []shipments.TextField) (all []draftField) {
	for _, t := range texts {
		all = append(all, draftField{t, label(t.Name), t.Of(d)})
	}
	return all
}

func newPage(v *visit, d shipments.Draft, faults pages.Faults) answer {
	p := draftPage{
		Faults: faults, Fields: fieldsOf(d, shipments.TextFields), Heading: "New shipment", Button: "Create shipment",
		Do: v.path(), Back: v.path(), Key: rand.Text(),
	}
	if v.may("POST /api/v1/shipments/{id}/documents") {
		p.Types = shipments.DocumentTypes
	}
	return page("draft", "New shipment", p)
}

func (s *site) showNew(_ context.Context, v *visit) (answer, error) {
	return newPage(v, shipments.Draft{}, nil), nil
}

func (s *site) create(ctx context.Context, v *visit) (answer, error) {
	key, err := v.once("POST " + Path)
	if err != nil {
		return answer{}, err
	}
	draft := shipments.NewDraft(v.text)
	id, _, err := s.Service.Once(ctx, v.org, key, func(ctx context.Context) ([]byte, error) {
		made, err := s.Service.Create(ctx, v.org, shipments.Creation{Draft: draft, By: v.order().By})
		return []byte(transport.ShipmentIDs.Format(made.ID)), err
	})
	if faults := faultsOf(err); faults != nil {
		return newPage(v, draft, faults), nil
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
			all.Add(field, spell(field, f.Detail))
		}
	}
	return all
}

// spell returns what is wrong with a field as a sentence, in which it has its name for people.
func spell(field, detail string) string {
	if rest, ok := strings.CutPrefix(detail, path.Base(field)+" "); ok {
		detail = cmp.Or(labels[field], field) + " " + rest
	}
	return problem.Sentence(detail)
}

// labels are the names of fields in forms, other than the API's.
var labels = map[string]string{
	"url": "Address", "origin": "From", "destination": "To", "vessel": "Vessel or flight", "save_as": "The name",
	"q": "The search", "from": "Created from", "until": "Created until", "comment": "Comment",
}

// stated returns what a field was, or is, in the history.
func stated(field, value string) string {
	if field == "type" {
		value = words(value)
	}
	return cmp.Or(value, "(none)")
}

// label returns the name of a field for people.
func label(field string) string { return cmp.Or(labels[field], words(field)) }
