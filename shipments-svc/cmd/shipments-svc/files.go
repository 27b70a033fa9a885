package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/documents/sweeper"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// runFiles is the command for the store of files.
func runFiles(ctx context.Context, p program) (err error) {
	if len(p.args) == 2 && (p.args[0] == "export" || p.args[0] == "import") {
		return copyFiles(ctx, p)
	}
	do, ok := map[string]func(context.Context, *sweeper.Sweeper, io.Writer) error{
		"status": filesStatus, "purge": filesPurge,
	}[strings.Join(p.args, " ")]
	if !ok {
		return fmt.Errorf("%w: files takes status, purge, export DIR or import DIR", errUsage)
	}
	cfg, err := config.Load(p.environ, config.Database, config.Storage)
	if err != nil {
		return err
	}
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(ctx, sweeper.New(postgres.NewRepository(db), cfg.Files, time.Now), p.stdout)
}

func filesStatus(ctx context.Context, s *sweeper.Sweeper, out io.Writer) error {
	r, err := s.Status(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d files older than %d days; %d have no document, %d more are of organizations without "+
		"any\n",
		r.Files, int(sweeper.Grace.Hours()/24), r.Orphans, r.Foreign)
	return err
}

func filesPurge(ctx context.Context, s *sweeper.Sweeper, out io.Writer) error {
	r, err := s.Purge(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d of %d files removed\n", r.Removed, r.Files)
	return err
}

// filesSwept returns what logs sweeps and feeds their metrics.
func filesSwept(log *slog.Logger, metrics prometheus.Registerer) func(sweeper.Result, error) {
	removed := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "quayside_shipments_files_removed_total",
		Help: "Stored files without a document that were removed.",
	})
	refused := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "quayside_shipments_files_sweep_refused",
		Help: "1 if the last sweep refused to remove files: too many of them have no document.",
	})
	metrics.MustRegister(removed, refused)
	return func(r sweeper.Result, err error) {
		removed.Add(float64(r.Removed))
		if errors.Is(err, sweeper.ErrUnusualShare) {
			refused.Set(1)
			log.Error(
				"no stored files are removed until an operator decides: see the runbook DocumentSweepRefused", "error", err.Error(),
			)
			return
		}
		if err != nil {
			log.Warn("stored files without a document could not all be removed", "error", err.Error(), "removed", r.Removed)
			return
		}
		refused.Set(0)
		if r.Removed > 0 {
			log.Info("removed stored files without a document", "files", r.Removed)
		}
	}
}

// copyFiles copies the files that standard input lists between the store and a
// directory, without the database. p.args are export or import, and the
// directory.
func copyFiles(ctx context.Context, p program) error {
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
