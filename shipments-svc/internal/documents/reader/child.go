package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Child is the main function of a child process: it reads the assignments, limits itself, reads the file on
// its standard input and writes the result to out.
func Child(ctx context.Context, args []string, file *os.File, out io.Writer) error {
	if len(args) != 3 {
		return errors.New("want the type of the document, the kind of its file, and the directory of PDFium")
	}
	text, err := io.ReadAll(os.NewFile(givenFile, "assignments"))
	if err != nil {
		return err
	}
	var given []shipments.Assignment
	if err := json.Unmarshal(text, &given); err != nil {
		return fmt.Errorf("assignments: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("standard input is not a file")
	}
	ready := func() error { return nil }
	if args[1] == string(shipments.PDF) {
		ready = func() error { return tables.StartPDF(args[2]) }
	}
	if err := confine(maxCPU, ready); err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	var reading shipments.Reading
	if kind := packinglist.Kind(args[1]); shipments.DocumentType(args[0]) == shipments.PackingList {
		reading, err = packinglist.Read(ctx, kind, file, info.Size(), given...)
	} else {
		reading, err = packinglist.ReadFacts(ctx, kind, file, info.Size())
	}
	r := result{Reading: &reading}
	if fault := shipments.Beyond(reading.Pallets); fault != "" {
		failure := shipments.Failure{Code: string(shipments.TooManyPallets), Detail: fault}
		r = result{Failure: &shipments.UnreadableError{Failure: failure, Mappings: reading.Mappings}}
	}
	if bad, ok := errors.AsType[*packinglist.Unreadable](err); ok {
		r = result{Failure: &shipments.UnreadableError{Failure: failureOf(*bad), Mappings: bad.Mappings}}
	} else if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}

// failureOf returns an error as a failure whose detail is a sentence with its place.
func failureOf(u packinglist.Unreadable) shipments.Failure {
	var at []string
	if u.Place.Sheet != "" {
		at = append(at, u.Place.Sheet)
	}
	if u.Place.Row > 0 {
		at = append(at, fmt.Sprintf("row %d", u.Place.Row))
	}
	detail := u.Detail
	if at != nil {
		detail += " (" + strings.Join(at, ", ") + ")"
	}
	return shipments.Failure{Code: u.Code, Detail: detail + "."}
}
