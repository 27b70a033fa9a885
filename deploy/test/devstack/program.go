package devstack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
)

// Program is one program, and its process once it was started.
type Program struct {
	*Process

	Name    string   // of its log as well
	Command []string // the executable and the arguments of Start
	Env     []string // in addition to PATH and HOME
	Address string   // its public listener, host:port; services serve only requests with the gateway's assertion there
	Inner   string   // the listener of its /readyz, host:port
	LogDir  string
}

// Environ is the whole environment of the program: no variable of the caller's
// is inherited but PATH and HOME.
func (p *Program) Environ() []string {
	return slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.Env)
}

// Start starts the program and waits until it is ready.
func (p *Program) Start(ctx context.Context) error {
	cmd := exec.Command(p.Command[0], p.Command[1:]...) //nolint:gosec,noctx // G204: our own; stopped by Stop
	cmd.Env = p.Environ()
	var err error
	if p.Process, err = startProcess(p.Name, p.LogDir, cmd); err != nil {
		return err
	}
	return p.Await(ctx, func() error { return p.ready(ctx) })
}

// Stop stops the process that the program has when Stop is called, if any.
func (p *Program) Stop() error { return p.Process.Stop() }

// ready returns nil when both listeners accept connections and /readyz is 200.
func (p *Program) ready(ctx context.Context) error {
	if err := answers(ctx, "http://"+p.Inner+"/readyz"); err != nil {
		return err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", p.Address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// answers returns nil when a GET of url answers 200.
func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", url, res.Status)
	}
	return errors.Join(err, res.Body.Close())
}
