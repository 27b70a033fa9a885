package main

import (
	"context"
	"fmt"
	"os"

	"github.com/quayside/quayside/shipments-svc/internal/documents/reader"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// packingList reads packing lists without a database.
func packingList(ctx context.Context, p program) error {
	switch {
	case len(p.args) > 1 && p.args[0] == reader.Read: // what serve starts for each document
		return reader.Child(ctx, p.args[1:], os.Stdin, p.stdout)
	case len(p.args) == 2 && p.args[0] == reader.Prepare:
		return tables.StartPDF(p.args[1])
	}
	return fmt.Errorf("%w: packinglist takes prepare DIR", errUsage)
}
