package sweeper

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// bind returns the identity of both database and store. A store without one gets it
// if all of its files have a document.
func (s *Sweeper) bind(ctx context.Context) (shipments.StoreID, error) {
	status, err := s.identities(ctx)
	switch {
	case err != nil:
		return shipments.StoreID{}, err
	case status.Store != shipments.StoreID{} && status.Store == status.Database:
		return status.Store, nil
	case status.Store != shipments.StoreID{}:
		return shipments.StoreID{}, fmt.Errorf("%w: the store is %x, the database has %x", ErrOtherStore, status.Store,
			status.Database)
	}
	files, unknown, err := s.unknown(ctx)
	if err != nil {
		return shipments.StoreID{}, err
	}
	if unknown > 0 {
		return shipments.StoreID{}, fmt.Errorf("%w: %d of %d", ErrUnbound, unknown, files)
	}
	id, err := s.ledger.BindStore(ctx, s.newID())
	if err == nil {
		err = s.store.SetIdentity(ctx, id)
	}
	if err != nil {
		return shipments.StoreID{}, fmt.Errorf("bind the store: %w", err)
	}
	return id, nil
}

// Adopt gives database and store a new identity. The quarantine of all files begins
// again.
func (s *Sweeper) Adopt(ctx context.Context) (shipments.StoreID, error) {
	id := shipments.StoreID(s.newID())
	err := s.store.SetIdentity(ctx, id)
	if err == nil {
		err = s.ledger.AdoptStore(ctx, id)
	}
	if err != nil {
		return shipments.StoreID{}, fmt.Errorf("adopt the store: %w", err)
	}
	return id, nil
}

// Status compares database and store.
type Status struct {
	Database, Store shipments.StoreID // zero: none
	Files           int               // older than an hour
	Unknown         int               // of them, without a document
}

// Status returns the Status and changes nothing.
func (s *Sweeper) Status(ctx context.Context) (Status, error) {
	status, err := s.identities(ctx)
	if err != nil {
		return status, err
	}
	status.Files, status.Unknown, err = s.unknown(ctx)
	return status, err
}

func (s *Sweeper) identities(ctx context.Context) (status Status, err error) {
	if status.Database, err = s.ledger.StoreID(ctx); err == nil {
		status.Store, err = s.store.Identity(ctx)
	}
	if err != nil {
		return status, fmt.Errorf("read the identity of the store: %w", err)
	}
	return status, nil
}

// unknown counts files, and those without a document.
func (s *Sweeper) unknown(ctx context.Context) (files, unknown int, err error) {
	files, err = s.scan(ctx, func(org shipments.OrgID, docs []shipments.DocumentID) error {
		known, err := s.ledger.Known(ctx, org, docs)
		for _, doc := range docs {
			if !known[doc] {
				unknown++
			}
		}
		return err
	})
	return files, unknown, err
}
