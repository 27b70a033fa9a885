package devstack

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Cluster is a private Postgres with its default settings and nothing beside
// it, for those who measure what it does.
type Cluster struct {
	URL string // a DSN of its owner

	dir    string
	server *server
}

// StartCluster makes one in a directory of its own and starts it.
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
