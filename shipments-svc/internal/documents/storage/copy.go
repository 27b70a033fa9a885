package storage

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// errOtherContent is a file whose content is not that of its document.
var errOtherContent = errors.New("its SHA-256 is not the one in the database")

// Copy copies files between two stores, for backups. list has one line per
// file: organization and document as UUIDs and the SHA-256 of the content in
// hex, separated by tabs. Files that the target has with that content are not
// copied. Copy never deletes a file. A file that is missing or has another
// content does not stop it; such files are in the error.
func Copy(ctx context.Context, from, to shipments.Files, list io.Reader) (files, copied int, err error) {
	var faults []error
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		key, sum, err := parseLine(lines.Text())
		if err != nil {
			return files, copied, err
		}
		files++
		if check(ctx, to, key, sum) == nil {
			continue
		}
		if err := copyFile(ctx, from, to, key, sum); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", formatKey(key), err))
			continue
		}
		copied++
	}
	return files, copied, errors.Join(append(faults, lines.Err(), ctx.Err())...)
}

func parseLine(line string) (key shipments.FileKey, sum shipments.Sum, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) == 3 {
		err = errors.Join(key.Org.UnmarshalText([]byte(fields[0])), key.Document.UnmarshalText([]byte(fields[1])),
			sum.UnmarshalText([]byte(`\x`+fields[2])))
	}
	if err != nil || len(fields) != 3 {
		err = fmt.Errorf("line %q: want two UUIDs and a SHA-256, separated by tabs", line)
	}
	return key, sum, err
}

func copyFile(ctx context.Context, from, to shipments.Files, key shipments.FileKey, sum shipments.Sum) error {
	if err := check(ctx, from, key, sum); err != nil {
		return err
	}
	f, err := from.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it is only read
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := to.Put(ctx, key, io.NewSectionReader(f, 0, size), size); err != nil {
		return err
	}
	return check(ctx, to, key, sum)
}

// check returns nil if the store has the file with that content.
func check(ctx context.Context, in shipments.Files, key shipments.FileKey, sum shipments.Sum) error {
	f, err := in.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it is only read
	content := sha256.New()
	if _, err := io.Copy(content, f); err != nil {
		return err
	}
	if shipments.Sum(content.Sum(nil)) != sum {
		return errOtherContent
	}
	return nil
}
