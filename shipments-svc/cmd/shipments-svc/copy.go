package main

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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
