package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// These begin the two parts of a file's name.
const (
	orgPrefix      = "org"
	documentPrefix = "doc"
)

// identityName is the name under which a store keeps its identity. It is no key.
const identityName = "store-identity"

// parseIdentity reads what formatIdentity returned.
func parseIdentity(text []byte) (shipments.StoreID, error) {
	id, err := uuid.ParseBytes(bytes.TrimSpace(text))
	if err != nil {
		return shipments.StoreID{}, fmt.Errorf("%s is not a UUID", identityName)
	}
	return shipments.StoreID(id), nil
}

func formatIdentity(id shipments.StoreID) string { return uuid.UUID(id).String() + "\n" }

// formatKey returns the name of a file: org_…/doc_….
func formatKey(key shipments.FileKey) string {
	return publicid.Format(orgPrefix, uuid.UUID(key.Org)) + "/" + publicid.Format(documentPrefix, uuid.UUID(key.Document))
}

// parseKey reads what formatKey returned, and nothing else.
func parseKey(name string) (shipments.FileKey, bool) {
	org, document, _ := strings.Cut(name, "/")
	o, fine := publicid.Parse(orgPrefix, org)
	d, ok := publicid.Parse(documentPrefix, document)
	return shipments.FileKey{Org: shipments.OrgID(o), Document: shipments.DocumentID(d)}, fine && ok
}

// failure turns an error of a storage into one that the domain knows: a full
// or failing disk may be well again later, as may a bucket that is away.
func failure(doing string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s file: %w: %w", doing, shipments.ErrUnavailable, err)
}
