package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// runFiles copies the files that standard input lists between the store and a directory,
// without the database.
func runFiles(ctx context.Context, p program) error {
	if len(p.args) != 2 || p.args[0] != "export" && p.args[0] != "import" {
		return fmt.Errorf("%w: files takes export DIR or import DIR", errUsage)
	}
	cfg, err := config.Load(p.environ, config.Storage)
	if err != nil {
		return err
	}
	backup, err := storage.NewDisk(p.args[1])
	if err != nil {
		return err
	}
	from, to := shipments.Files(cfg.Files), shipments.Files(backup)
	if p.args[0] == "import" {
		from, to = to, from
	}
	files, copied, err := storage.Copy(ctx, from, to, p.stdin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%d files, of which %d were copied\n", files, copied)
	return err
}

// filesSwept returns what logs sweeps and counts the files that they removed.
func filesSwept(log *slog.Logger, metrics prometheus.Registerer) func(int, error) {
	count := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "quayside_shipments_files_removed_total",
		Help: "Stored files without a document that were removed.",
	})
	metrics.MustRegister(count)
	return func(removed int, err error) {
		count.Add(float64(removed))
		if err != nil {
			log.Warn("stored files without a document could not all be removed", "error", err.Error(), "removed", removed)
		} else if removed > 0 {
			log.Info("removed stored files without a document", "files", removed)
		}
	}
}

// notedStore is a store of files that notes its successes and its outages.
type notedStore struct {
	shipments.Files

	note func(error)
}

// Put implements shipments.Files.
func (s notedStore) Put(ctx context.Context, key shipments.FileKey, content io.Reader, size int64) error {
	return s.noted(s.Files.Put(ctx, key, content, size))
}

// Open implements shipments.Files.
func (s notedStore) Open(ctx context.Context, key shipments.FileKey) (shipments.OpenFile, error) {
	file, err := s.Files.Open(ctx, key)
	return file, s.noted(err)
}

// Delete implements shipments.Files.
func (s notedStore) Delete(ctx context.Context, key shipments.FileKey) error {
	return s.noted(s.Files.Delete(ctx, key))
}

// noted notes err, unless it is an error of the request.
func (s notedStore) noted(err error) error {
	if err == nil || errors.Is(err, shipments.ErrUnavailable) {
		s.note(err)
	}
	return err
}
