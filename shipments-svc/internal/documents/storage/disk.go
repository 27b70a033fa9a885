// Package storage stores the files of documents on a disk or in an S3 bucket.
//
// Guarantees: writes are atomic; names are made of the service's own ids, never of
// client input; on a disk only the user of the service can read the files.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Disk stores files in a directory, as ORGANIZATION/DOCUMENT.
type Disk struct {
	observer
	dir string
}

const (
	dirMode  = 0o700
	fileMode = 0o600
	// partial is the prefix of files that are being written. List also lists
	// those that were left over, by their key.
	partial = ".partly-"
)

// NewDisk returns a Disk in a directory, which it creates if it does not exist.
func NewDisk(dir string) (*Disk, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	return &Disk{dir: dir}, nil
}

// CheckWritable returns an error if files cannot be created in the directory.
func (d *Disk) CheckWritable() error {
	f, err := os.CreateTemp(d.dir, partial)
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

// Put implements shipments.Files. A file gets its name when it is complete and synced.
func (d *Disk) Put(ctx context.Context, key shipments.FileKey, content io.Reader, size int64) error {
	dir, name := filepath.Split(filepath.Join(d.dir, formatKey(key)))
	part := filepath.Join(dir, partial+name)
	err := os.Mkdir(dir, dirMode) // not its parent, which is missing in an outage
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = errors.Join(write(part, content, size), ctx.Err())
	}
	if err == nil {
		err = os.Rename(part, filepath.Join(dir, name))
	}
	if err != nil {
		return d.result("put", errors.Join(err, ignoreMissing(os.Remove(part))))
	}
	return d.result("put", errors.Join(syncDir(dir), syncDir(d.dir))) // the names must also be durable
}

// Open implements shipments.Files.
func (d *Disk) Open(_ context.Context, key shipments.FileKey) (shipments.OpenFile, error) {
	f, err := os.Open(filepath.Join(d.dir, formatKey(key)))
	if _, gone := os.Stat(d.dir); errors.Is(err, fs.ErrNotExist) && gone == nil {
		err = shipments.ErrNoFile
	}
	if err = d.result("open", err); err != nil {
		return nil, err // not a nil *os.File
	}
	return f, nil
}

// Delete implements shipments.Files.
func (d *Disk) Delete(_ context.Context, key shipments.FileKey) error {
	dir, name := filepath.Split(filepath.Join(d.dir, formatKey(key)))
	return d.result("delete", errors.Join(
		ignoreMissing(os.Remove(filepath.Join(dir, name))), ignoreMissing(os.Remove(filepath.Join(dir, partial+name))),
	))
}

// List implements shipments.Files.
func (d *Disk) List(ctx context.Context, before time.Time) iter.Seq2[shipments.FileKey, error] {
	return func(yield func(shipments.FileKey, error) bool) {
		err := filepath.WalkDir(d.dir, func(path string, entry fs.DirEntry, err error) error {
			if err = errors.Join(ignoreMissing(err), ctx.Err()); err != nil || entry == nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) || err == nil && !info.ModTime().Before(before) {
				return nil
			}
			relative, _ := filepath.Rel(d.dir, path)
			key, ok := parseKey(strings.Replace(relative, partial, "", 1))
			if ok && !yield(key, err) {
				return fs.SkipAll
			}
			return nil
		})
		if err = d.result("list", err); err != nil {
			yield(shipments.FileKey{}, err)
		}
	}
}

// write writes and syncs a file of exactly size bytes.
func write(path string, content io.Reader, size int64) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode) //nolint:gosec // G304: a key of ours
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n, err := io.Copy(f, io.LimitReader(content, size+1))
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("content has %d bytes, not %d", n, size)
	}
	return f.Sync()
}

func syncDir(dir string) (err error) {
	f, err := os.Open(dir) //nolint:gosec // G304: made of a key of ours
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

var _ Store = (*Disk)(nil)
