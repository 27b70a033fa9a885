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
	dir, err := os.MkdirTemp("", "quayside-cluster-")
	if err != nil {
		return nil, err
	}
	p, err := choosePorts(ctx, 0)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	c.server, err = startPostgres(ctx, serverConfig{
		dir: filepath.Join(dir, "postgres"), logDir: dir, port: p.postgres, password: rand.Text(), log: log,
	})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.URL = c.server.url
	return c, nil
}

// Close stops it and removes its data.
func (c *Cluster) Close() error {
	var err error
	if c.server != nil {
		err = c.server.Stop()
	}
	return errors.Join(err, Clean(c.dir))
}
