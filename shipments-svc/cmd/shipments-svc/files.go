package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/gateway/servicekit/process/background"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type filesExport struct {
	Directory string `arg:"" help:"Where the files are copied to."`
}

func (c filesExport) Run(ctx context.Context, p program) error {
	return copyFiles(ctx, p, c.Directory, false)
}

type filesImport struct {
	Directory string `arg:"" help:"Where the files are copied from."`
}

func (c filesImport) Run(ctx context.Context, p program) error {
	return copyFiles(ctx, p, c.Directory, true)
}

// copyFiles copies the files that standard input lists from the store to a directory, or back, without the database.
func copyFiles(ctx context.Context, p program, directory string, back bool) error {
	cfg, err := config.Load(p.environ, config.Storage)
	if err != nil {
		return err
	}
	backup, err := storage.NewDisk(directory)
	if err != nil {
		return err
	}
	from, to := shipments.Files(cfg.Files), shipments.Files(backup)
	if back {
		from, to = to, from
	}
	files, copied, err := storage.Copy(ctx, from, to, p.stdin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%d files, of which %d were copied\n", files, copied)
	return err
}

// sweepFiles returns what removes stored files without a document, and counts them. One replica does so once a day: it
// lists all files.
func sweepFiles(
	repo *postgres.Repository, files shipments.Files, log *slog.Logger, metrics prometheus.Registerer,
) func(context.Context) {
	count := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "quayside_shipments_files_removed_total",
		Help: "Stored files without a document that were removed.",
	})
	metrics.MustRegister(count)
	note := func(err error) {
		if err != nil {
			log.Warn("stored files without a document could not all be removed", "error", err.Error())
		}
	}
	return func(ctx context.Context) {
		background.Repeat(ctx, time.Hour, nil, note, func(ctx context.Context) error {
			if due, err := repo.Daily(ctx, "remove files without a document", time.Now()); err != nil || !due {
				return err
			}
			removed, err := storage.Sweep(ctx, repo.Unneeded, files, time.Now())
			count.Add(float64(removed))
			return err
		})
	}
}
