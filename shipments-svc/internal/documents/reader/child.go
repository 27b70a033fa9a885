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

// Child is the main function of a child process: it limits itself, reads the file on
// its standard input and writes the result to out.
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
	read := packinglist.ReadFacts
	if shipments.DocumentType(args[0]) == shipments.PackingList {
		read = packinglist.Read
	}
	reading, err := read(ctx, packinglist.Kind(args[1]), file, info.Size())
	r := result{Reading: &reading}
	if bad, ok := errors.AsType[*packinglist.Unreadable](err); ok {
		failure := failureOf(*bad)
		r = result{Failure: &failure}
	} else if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}
