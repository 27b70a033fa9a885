package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Child reads the file that is its standard input and writes what it says to
// out. It is the program of the child, and gives itself its limits.
func Child(ctx context.Context, args []string, file *os.File, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("want the type of the document and the kind of its file")
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("standard input is not a file")
	}
	if err := confine(maxCPU); err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	list, err := read(ctx, shipments.DocumentType(args[0]), packinglist.Kind(args[1]), file, info.Size())
	a := answer{List: &list}
	if bad, ok := errors.AsType[*packinglist.Unreadable](err); ok {
		a = answer{Unreadable: bad}
	} else if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(a)
}

// read reads a packing list, or of another document what it says of the
// shipment.
func read(ctx context.Context, paper shipments.DocumentType, kind packinglist.Kind, content io.ReaderAt, size int64) (packinglist.List, error) {
	if paper == shipments.PackingList {
		return packinglist.Read(ctx, kind, content, size)
	}
	said, err := packinglist.ReadFacts(ctx, kind, content, size)
	return packinglist.List{Facts: said.Facts, RowsRead: said.RowsRead, Remarks: said.Remarks}, err
}
