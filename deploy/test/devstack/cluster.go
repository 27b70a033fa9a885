package devstack

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Cluster is a private Postgres.
type Cluster struct {
	URL string // a DSN of its owner

	dir    string
	server *server
}

// StartCluster creates and starts a cluster in a temporary directory, for tests
// without waiting for the disk.
func StartCluster(ctx context.Context, log io.Writer, throwAway bool) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "quayside-cluster-")
	if err != nil {
		return nil, err
	}
	config := serverConfig{
		dir: filepath.Join(dir, "postgres"), logDir: dir, password: rand.Text(), throwAway: throwAway, log: log,
	}
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
