package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/explain"
	"github.com/quayside/quayside/shipments-svc/internal/documents/reader"
	"github.com/quayside/quayside/shipments-svc/internal/documents/sniff"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// packingList reads packing lists without a database.
func packingList(ctx context.Context, p program) error {
	switch {
	case len(p.args) > 1 && p.args[0] == reader.Read: // what serve starts for each document
		return reader.Child(ctx, p.args[1:], os.Stdin, p.stdout)
	case len(p.args) == 2 && p.args[0] == reader.Prepare:
		return tables.StartPDF(p.args[1])
	case len(p.args) == 2 && p.args[0] == "explain":
		return explainFile(ctx, p, p.args[1], explain.Explanation.Write)
	case len(p.args) == 3 && p.args[0] == "explain" && p.args[1] == "--json":
		return explainFile(ctx, p, p.args[2], func(e explain.Explanation, w io.Writer) error {
			return json.NewEncoder(w).Encode(e)
		})
	}
	return fmt.Errorf("%w: packinglist takes explain [--json] FILE or prepare DIR", errUsage)
}

// explainFile reads a packing list and writes how it was understood.
func explainFile(ctx context.Context, p program, name string, write func(explain.Explanation, io.Writer) error) error {
	file, err := os.Open(name) //nolint:gosec // G304: the operator's own file
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	of, err := sniff.File(file, info.Size(), name)
	if err != nil {
		return err
	}
	if of.Refused != "" {
		return fmt.Errorf("%s: %s", name, of.Refused)
	}
	e, err := explain.Of(packinglist.Read(ctx, file, packinglist.Options{Kind: tables.Kind(of.Kind), Size: info.Size()}))
	if err != nil {
		return err
	}
	return write(e, p.stdout)
}
