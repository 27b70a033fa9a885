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
)

// Child is the main function of a child process: it reads the assignments, limits itself, reads the file on
// its standard input and writes the result to out.
func Child(ctx context.Context, args []string, file *os.File, out io.Writer) error {
	if len(args) != 3 {
		return errors.New("want pallets or facts, the kind of the file, and the directory of PDFium")
	}
	text, err := io.ReadAll(os.NewFile(givenFile, "assignments"))
	if err != nil {
		return err
	}
	o := packinglist.Options{Kind: tables.Kind(args[1]), Facts: args[0] == facts}
	if err := json.Unmarshal(text, &o.Given); err != nil {
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
	if o.Kind == tables.PDF {
		ready = func() error { return tables.StartPDF(args[2]) }
	}
	if err := confine(maxCPU, ready); err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	o.Size = info.Size()
	var r struct {
		Reading *packinglist.Reading `json:",omitempty"`
		Failure any                  `json:",omitempty"`
	}
	read, err := packinglist.Read(ctx, file, o)
	if bad, ok := errors.AsType[*packinglist.Unreadable](err); ok {
		r.Failure = map[string]any{"code": bad.Code, "detail": sentence(bad.Unreadable), "mappings": bad.Mappings}
	} else if err != nil {
		return err
	} else {
		r.Reading = &read
	}
	return json.NewEncoder(out).Encode(r)
}

// sentence returns the detail of an error as a sentence with its place.
func sentence(u tables.Unreadable) string {
	var at []string
	if u.Place.Sheet != "" {
		at = append(at, u.Place.Sheet)
	}
	if u.Place.Row > 0 {
		at = append(at, fmt.Sprintf("row %d", u.Place.Row))
	}
	if at != nil {
		return u.Detail + " (" + strings.Join(at, ", ") + ")."
	}
	return u.Detail + "."
}
