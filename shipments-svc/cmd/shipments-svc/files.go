package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/shipments-svc/internal/config"
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
		"status": filesStatus, "adopt": filesAdopt, "purge": filesPurge,
	}[strings.Join(p.args, " ")]
	if !ok {
		return fmt.Errorf("%w: files takes status, adopt, purge, export DIR or import DIR", errUsage)
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
	return do(ctx, newSweeper(postgres.NewRepository(db), cfg.Files), p.stdout)
}

func newSweeper(repo *postgres.Repository, kept sweeper.Store) *sweeper.Sweeper {
	return sweeper.New(repo, kept, func() [16]byte { return uuid.New() }, time.Now)
}

func filesStatus(ctx context.Context, s *sweeper.Sweeper, out io.Writer) error {
	status, err := s.Status(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "store     %s\ndatabase  %s\nfiles     %d, of which %d have no document\n",
		storeID(status.Store), storeID(status.Database), status.Files, status.Unknown)
	return err
}

func storeID(id shipments.StoreID) string {
	if id == (shipments.StoreID{}) {
		return "has no identity"
	}
	return uuid.UUID(id).String()
}

func filesAdopt(ctx context.Context, s *sweeper.Sweeper, out io.Writer) error {
	id, err := s.Adopt(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(
		out, "database and store are bound to each other as %s; files without a document are removed after %d days\n",
		storeID(id), int(sweeper.Quarantine.Hours()/24),
	)
	return err
}

func filesPurge(ctx context.Context, s *sweeper.Sweeper, out io.Writer) error {
	r, err := s.Purge(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(
		out, "%d of %d files removed; %d without a document are in quarantine\n", r.Removed, r.Files, r.Quarantined,
	)
	return err
}

// filesSwept returns what logs sweeps and feeds their metrics.
func filesSwept(log *slog.Logger, metrics prometheus.Registerer) func(sweeper.Result, error) {
	quarantined := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "quayside_shipments_files_quarantined",
		Help: "Stored files without a document that wait to be removed, as of the last sweep.",
	})
	removed := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "quayside_shipments_files_removed_total",
		Help: "Stored files without a document that were removed.",
	})
	refused := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "quayside_shipments_files_sweep_refused",
		Help: "1 if the last sweep refused to remove files: database and store do not belong together, or too many would go.",
	})
	metrics.MustRegister(quarantined, removed, refused)
	return func(r sweeper.Result, err error) {
		removed.Add(float64(r.Removed))
		if errors.Is(err, sweeper.ErrOtherStore) || errors.Is(err, sweeper.ErrUnbound) ||
			errors.Is(err, sweeper.ErrUnusualShare) {
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
		quarantined.Set(float64(r.Quarantined))
		if r.Removed > 0 {
			log.Info("removed stored files without a document", "files", r.Removed)
		}
	}
}
