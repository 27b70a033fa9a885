package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Child is the main function of a child process: it reads the assignments, limits itself, reads the file on
// its standard input and writes the result to out.
func Child(ctx context.Context, args []string, file *os.File, out io.Writer) error {
	if len(args) < 3 || len(args) != 3+map[string]int{page: 1, table: 2}[args[0]] {
		return errors.New("want pallets, facts, page or table, the kind of the file, the directory of PDFium, and which")
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
		Page    []byte               `json:",omitempty"`
		Failure any                  `json:",omitempty"`
	}
	switch args[0] {
	case page, table:
		r.Page, err = part(ctx, file, o, args[3:])
	default:
		var read packinglist.Reading
		if read, err = packinglist.Read(ctx, file, o); err == nil {
			r.Reading = &read
		}
	}
	if bad, ok := errors.AsType[*packinglist.Unreadable](err); ok {
		r.Failure = map[string]any{"code": bad.Code, "detail": sentence(bad.Unreadable), "mappings": bad.Mappings}
	} else if bad, ok := errors.AsType[*tables.Unreadable](err); ok {
		r.Failure = map[string]any{"code": bad.Code, "detail": sentence(*bad)}
	} else if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}

// part returns what which names of a document: a number is a page of a PDF as a picture, or else a table as JSON; a
// sheet and a row are the rows about it, see tablePart.
func part(ctx context.Context, file io.ReaderAt, o packinglist.Options, which []string) ([]byte, error) {
	n, err := strconv.Atoi(which[len(which)-1])
	if err != nil {
		return nil, err
	}
	ofSheet := len(which) == 2
	if o.Kind == tables.PDF && !ofSheet {
		return tables.Picture(file, o.Size, n)
	}
	book, err := tables.Read(ctx, o.Kind, file, o.Size)
	if err != nil {
		return nil, err
	}
	if ofSheet {
		return json.Marshal(tablePart(book.Tables, which[0], n))
	}
	if n < 1 || n > len(book.Tables) {
		return nil, &tables.Unreadable{Code: tables.NoPage, Detail: "the document has no such table"}
	}
	return json.Marshal(map[string]any{"table": shownTable(book.Tables[n-1], 0, shipments.MaxShownRows)})
}

// tablePart returns the rows about a row of the table of a sheet; of another sheet than there is those of the first.
func tablePart(all []tables.Table, sheet string, row int) (part shipments.TablePart) {
	chosen := 0
	for i, t := range all {
		if part.Sheets = append(part.Sheets, t.Name); t.Name == sheet {
			chosen = i
		}
	}
	if len(all) == 0 {
		return part
	}
	const most = shipments.MaxPartRows
	rows := all[chosen].Rows
	at := slices.IndexFunc(rows, func(r tables.Row) bool { return r.Number >= row })
	if at < 0 {
		at = max(0, len(rows)-1)
	}
	at -= at % most
	if part.ShownTable = shownTable(all[chosen], at, most); at > 0 {
		part.Before = rows[at-most].Number
	}
	if at+most < len(rows) {
		part.After = rows[at+most].Number
	}
	return part
}

// shownTable returns the rows of a table from one on, at most so many.
func shownTable(t tables.Table, from, most int) shipments.ShownTable {
	shown := shipments.ShownTable{Sheet: t.Name, Rows: []shipments.ShownRow{}, RowsCount: len(t.Rows)}
	for _, r := range t.Rows[from:min(len(t.Rows), from+most)] {
		cells := []string{}
		for _, c := range r.Cells {
			cells = append(cells, c.Text)
		}
		shown.Rows = append(shown.Rows, shipments.ShownRow{Row: r.Number, Cells: cells})
	}
	return shown
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
