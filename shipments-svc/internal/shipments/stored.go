package shipments

import "context"

// Documents returns the documents of a shipment, the first attached first.
func (s *Service) Documents(ctx context.Context, org OrgID, id ID) ([]Document, error) {
	return s.repo.Documents(ctx, org, id)
}

// Document returns a document of a shipment with its mappings, or ErrNoDocument.
func (s *Service) Document(ctx context.Context, org OrgID, q DocumentQuery) (Document, error) {
	return s.repo.Document(ctx, org, q)
}

// StoredFile is the file of a document.
type StoredFile struct {
	Document
	// Open opens the file. The context is that of all reading.
	Open func(context.Context) (OpenFile, error)
}

// File returns the file of a document, or ErrNoDocument; also where the
// document was given by its pallets.
func (s *Service) File(ctx context.Context, org OrgID, q DocumentQuery) (StoredFile, error) {
	doc, err := s.Document(ctx, org, q)
	if err != nil {
		return StoredFile{}, err
	}
	if doc.Filename == "" {
		return StoredFile{}, ErrNoDocument
	}
	return StoredFile{doc, func(ctx context.Context) (OpenFile, error) { return s.files.Open(ctx, FileKey{org, doc.ID}) }},
		nil
}
