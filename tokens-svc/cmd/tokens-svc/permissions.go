package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/quayside/quayside/tokens-svc/internal/config"
)

type permissions struct{}

func (permissions) Help() string {
	return `Lists the permissions that tokens can be granted: the built-in ones and those of
further services, which SERVICE_PERMISSIONS names.`
}

func (permissions) Run(p program) error {
	cfg, err := config.Load(p.environ, config.Permissions)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, permission := range cfg.Catalogue.All() {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", permission, cfg.Catalogue.Text(permission))
	}
	return table.Flush()
}
