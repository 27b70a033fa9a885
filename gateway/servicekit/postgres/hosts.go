package postgres

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/lib/pq"
)

// newConnector returns a connector to the host of a configuration, or to
// whichever of its hosts has the target_session_attrs.
func newConnector(cfg pq.Config, d pq.Dialer) (driver.Connector, error) {
	var all hosts
	for _, host := range append([]pq.ConfigMultihost{{Host: cfg.Host, Hostaddr: cfg.Hostaddr, Port: cfg.Port}},
		cfg.Multi...) {
		one := cfg.Clone()
		one.Multi = nil
		one.Host, one.Hostaddr, one.Port = host.Host, host.Hostaddr, host.Port
		c, err := pq.NewConnectorConfig(one)
		if err != nil {
			return nil, err
		}
		c.Dialer(d)
		all = append(all, c)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

// hosts connects to several hosts at once and returns the first connection. By
// itself lib/pq connects to one after the other, so that a host that hangs takes
// the time that a request has.
type hosts []driver.Connector

// Connect implements driver.Connector.
func (h hosts) Connect(ctx context.Context) (driver.Conn, error) {
	type result struct {
		conn driver.Conn
		err  error
	}
	results := make(chan result, len(h))
	for _, host := range h {
		go func() {
			conn, err := host.Connect(ctx)
			results <- result{conn, err}
		}()
	}
	var errs []error
	for range h {
		first := <-results
		if first.err != nil {
			errs = append(errs, first.err)
			continue
		}
		go func() { // closes connections that are established later
			for range len(h) - len(errs) - 1 {
				if later := <-results; later.err == nil {
					_ = later.conn.Close()
				}
			}
		}()
		return first.conn, nil
	}
	return nil, errors.Join(errs...)
}

// Driver implements driver.Connector.
func (h hosts) Driver() driver.Driver { return h[0].Driver() }
