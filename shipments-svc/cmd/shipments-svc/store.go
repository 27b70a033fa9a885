package main

import (
	"context"
	"errors"
	"io"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// notedStore is a store of files that notes its successes and its outages.
type notedStore struct {
	shipments.Files

	note func(error)
}

// Put implements shipments.Files.
func (s notedStore) Put(ctx context.Context, key shipments.FileKey, content io.Reader, size int64) error {
	return s.noted(s.Files.Put(ctx, key, content, size))
}

// Open implements shipments.Files.
func (s notedStore) Open(ctx context.Context, key shipments.FileKey) (shipments.OpenFile, error) {
	file, err := s.Files.Open(ctx, key)
	return file, s.noted(err)
}

// Delete implements shipments.Files.
func (s notedStore) Delete(ctx context.Context, key shipments.FileKey) error {
	return s.noted(s.Files.Delete(ctx, key))
}

// noted notes err, unless it is an error of the request.
func (s notedStore) noted(err error) error {
	if err == nil || errors.Is(err, shipments.ErrUnavailable) {
		s.note(err)
	}
	return err
}
