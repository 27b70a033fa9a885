package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	_ "github.com/lib/pq" // database/sql's "postgres"

	"github.com/quayside/quayside/deploy/bench/benchmark"
	"github.com/quayside/quayside/deploy/test/devstack"
)

// run creates the data, measures everything and removes the data.
func run(ctx context.Context, s settings) (r *report, err error) {
	r = &report{settings: s, facts: benchmark.Describe(ctx, s.root)}
	server := s.server
	if server == "" {
		cluster, err := devstack.StartCluster(ctx, s.log)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, cluster.Close()) }()
		server = cluster.URL
	}
	dsn, drop, err := makeDatabase(ctx, server)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	dir, err := os.MkdirTemp("", "quayside-scale-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	service, err := build(ctx, s, dir, dsn)
	if err != nil {
		return nil, err
	}
	s.say("making %d shipments", s.shipments+s.others*small)
	if r.large, r.other, err = fill(ctx, db, s); err != nil {
		return nil, err
	}
	if err := r.inspect(ctx, db); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, service.Stop()) }()
	if err := service.Start(ctx); err != nil {
		return nil, err
	}
	return r, r.measure(ctx, db, service)
}

// measure measures everything. Creates come last: they leave shipments that
// the counters do not know.
func (r *report) measure(ctx context.Context, db *sql.DB, service *devstack.Program) (err error) {
	s := r.settings
	s.say("lists")
	if r.lists, err = measureLists(ctx, service.Address, r.large, r.other, s.rounds); err != nil {
		return err
	}
	s.say("a shipment of many pallets")
	if r.details, err = measureDetails(ctx, service, r.large, s.pallets, s.fileRounds); err != nil {
		return err
	}
	s.say("packing lists")
	if r.readings, err = measureReadings(ctx, service.Address, r.large, s.lines, s.fileRounds); err != nil {
		return err
	}
	s.say("totals while others write")
	if r.large, err = readOrganization(ctx, db, 0); err != nil {
		return err
	}
	if r.exactness, err = writeAndList(ctx, db, service.Address, r.large, 2*s.length); err != nil {
		return err
	}
	s.say("creates")
	r.creates, err = measureCreates(ctx, db, service.Address, r.large, s)
	return err
}

// inspect reads the settings of the server and the size of the database.
func (r *report) inspect(ctx context.Context, db *sql.DB) error {
	return db.QueryRowContext(ctx, `
		SELECT current_setting('server_version'), current_setting('fsync'), current_setting('shared_buffers'),
			pg_size_pretty(pg_database_size(current_database())),
			(SELECT count(*) FROM shipment_counts), (SELECT count(*) FROM shipment_months)`).
		Scan(&r.postgres, &r.fsync, &r.buffers, &r.size, &r.days, &r.months)
}

// makeDatabase creates a database on a server and returns its DSN and a function
// that drops it.
func makeDatabase(ctx context.Context, server string) (dsn string, drop func() error, err error) {
	admin, err := sql.Open("postgres", server)
	if err != nil {
		return "", nil, err
	}
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "" {
		return "", nil, errors.New("DATABASE_URL must be a postgres:// URL")
	}
	name := "quayside_scale_" + strings.ToLower(rand.Text())
	if _, err := admin.ExecContext(ctx, `CREATE DATABASE `+name); err != nil {
		return "", nil, errors.Join(err, admin.Close())
	}
	u.Path = "/" + name
	return u.String(), func() error {
		_, err := admin.ExecContext(context.WithoutCancel(ctx), `DROP DATABASE `+name+` WITH (FORCE)`)
		return errors.Join(err, admin.Close())
	}, nil
}

func (s settings) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.log, format+"\n", args...)
}
