package devstack

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// Program returns a program by its name. It panics if there is none.
func (s *Stack) Program(name string) *Program {
	i := slices.IndexFunc(s.programs, func(p *Program) bool { return p.Name == name })
	if i < 0 {
		panic("devstack: no program " + name)
	}
	return s.programs[i]
}

// Programs are all programs, in the order in which they were started.
func (s *Stack) Programs() []*Program { return slices.Clone(s.programs) }

// DSN returns the DSN of a database, "shipments" or "tokens".
func (s *Stack) DSN(name string) string { return s.dsn[name] }

// StopRedis stops the Redis that Start started.
func (s *Stack) StopRedis() error {
	if s.stopRedis == nil {
		return nil
	}
	return s.stopRedis()
}

// StartRedis restarts it, empty, at the same address.
func (s *Stack) StartRedis(ctx context.Context) (err error) {
	s.stopRedis, s.RedisURL, err = startRedis(ctx, s.ports.redis, s.LogDir(), s.opts.Archive == "", s.opts.Log)
	return err
}

// StopPostgres stops the Postgres that Start started.
func (s *Stack) StopPostgres() error { return s.database.Stop() }

// StartPostgres restarts it with its data at the same address.
func (s *Stack) StartPostgres(ctx context.Context) error { return s.database.Start(ctx) }

// Wait returns nil when ctx ends, and an error if a program exits before.
func (s *Stack) Wait(ctx context.Context) error {
	ended := make(chan string, len(s.programs))
	for _, p := range s.programs {
		go func() {
			select {
			case <-p.done:
				ended <- p.Name
			case <-ctx.Done():
			}
		}()
	}
	select {
	case <-ctx.Done():
		return nil
	case name := <-ended:
		p := s.Program(name)
		return fmt.Errorf("%s exited (%s):\n%s", name, p.cmd.ProcessState, p.LogTail())
	}
}

// LogDir is the directory of the programs' logs, NAME.log.
func (s *Stack) LogDir() string { return filepath.Join(s.opts.Dir, "log") }

// ServicesDir is the directory of the files of further services: see
// add-a-service.md.
func (s *Stack) ServicesDir() string { return filepath.Join(s.opts.Dir, "services") }

// PublicKeyFile is the path of the key that verifies the gateway's assertions.
func (s *Stack) PublicKeyFile() string { return s.secret("gateway_public_keys") }
