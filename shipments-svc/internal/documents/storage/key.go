package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// formatKey returns the name of a file: org_…/doc_….
func formatKey(key shipments.FileKey) string {
	return publicid.Format("org", uuid.UUID(key.Org)) + "/" + publicid.Format("doc", uuid.UUID(key.Document))
}

// parseKey is the inverse of formatKey. It accepts no other names.
func parseKey(name string) (shipments.FileKey, bool) {
	org, document, _ := strings.Cut(name, "/")
	o, ok1 := publicid.Parse("org", org)
	d, ok2 := publicid.Parse("doc", document)
	return shipments.FileKey{Org: shipments.OrgID(o), Document: shipments.DocumentID(d)}, ok1 && ok2
}

// Store is a Files whose outages can be observed.
type Store interface {
	shipments.Files
	// Observe has note called with nil after each success, and with the error when the store is
	// unavailable.
	Observe(note func(error))
}

// observer is the part of a Store that reports results.
type observer struct{ note func(error) }

// Observe implements Store.
func (o *observer) Observe(note func(error)) { o.note = note }

// result reports the result of doing something, and returns an error of the store as
// shipments.ErrUnavailable: a full disk or an unreachable bucket may work again later.
func (o *observer) result(doing string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, shipments.ErrNoFile) {
		return err
	}
	if err != nil {
		err = fmt.Errorf("%s file: %w: %w", doing, shipments.ErrUnavailable, err)
	}
	if o.note != nil {
		o.note(err)
	}
	return err
}
