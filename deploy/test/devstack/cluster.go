package devstack

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Cluster is a private Postgres with default settings, for measurements.
type Cluster struct {
	URL string // a DSN of its owner

	dir    string
	server *server
}

// StartCluster creates and starts a cluster in a temporary directory.
func StartCluster(ctx context.Context, log io.Writer) (*Cluster, error) {
	return startCluster(ctx, serverConfig{log: log})
}

func startCluster(ctx context.Context, config serverConfig) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "quayside-cluster-")
	if err != nil {
		return nil, err
	}
	config.dir, config.logDir, config.password = filepath.Join(dir, "postgres"), dir, rand.Text()
	if config.port, err = freeAddress(ctx); err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	if c.server, err = startPostgres(ctx, config); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.URL = c.server.url
	return c, nil
}

// Close stops it and removes its data.
func (c *Cluster) Close() error { return errors.Join(c.server.Stop(), Clean(c.dir)) }
