package packinglist

import (
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// TestTablesOnASheetAreLimited: a sheet has at most maxParts tables.
func TestTablesOnASheetAreLimited(t *testing.T) {
	t.Parallel()
	content := "Pallet No,Cartons,Net kg\n" + strings.Repeat("P1,80,900\nCartons,Pallets,Net weight\n", 5_000)
	book, err := tables.Read(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if parts := split(book.Tables[0], maxParts); len(parts) < 2 || len(parts) > maxParts {
		t.Errorf("%d parts", len(parts))
	}
}
