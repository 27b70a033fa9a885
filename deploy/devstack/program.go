package devstack

import (
	"context"
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

	name     string
	command  string   // what it is built from
	args     []string // of serving
	env      []string
	outer    string   // address of its public listener
	inner    string   // address of its /readyz
	replicas replicas // of others, that it must find
	binary   string
	logDir   string
	cores    string // to run on, as taskset takes them; empty: all
}

// ProgramConfig describes a program that is not part of a stack.
type ProgramConfig struct {
	Name    string   // of its log as well
	Command []string // the executable and the arguments of Start
	Env     []string // in addition to PATH and HOME
	Address string   // its public listener, host:port
	Inner   string   // the listener of its /readyz, host:port
	LogDir  string
	Cores   string // to run on, as taskset takes them; empty: all
}

// NewProgram returns a program. The caller starts and stops it.
func NewProgram(c ProgramConfig) *Program {
	return &Program{
		name: c.Name, binary: c.Command[0], args: c.Command[1:], env: c.Env,
		outer: c.Address, inner: c.Inner, logDir: c.LogDir, cores: c.Cores,
	}
}

// Binary is the path of the program's executable.
func (p *Program) Binary() string { return p.binary }

// Environ is the whole environment of the program: no variable of the caller's
// is inherited but PATH and HOME.
func (p *Program) Environ() []string {
	return slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.env)
}

// Start starts the program and waits until it is ready.
func (p *Program) Start(ctx context.Context) error {
	command := slices.Concat([]string{p.binary}, p.args)
	if p.cores != "" {
		command = slices.Concat([]string{"taskset", "-c", p.cores}, command) // it replaces itself by the program
	}
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // G204: our own; stopped by Stop
	cmd.Env = p.Environ()
	err := p.replicas.see(cmd)
	if err != nil {
		return err
	}
	if p.Process, err = StartProcess(p.name, p.logDir, cmd); err != nil {
		return err
	}
	return p.Await(ctx, func() error { return p.ready(ctx) })
}

// Address is the program's public listener, host:port. Services serve only
// requests with the gateway's assertion there.
func (p *Program) Address() string { return p.outer }

// Inner is the address of the program's inner listener, host:port.
func (p *Program) Inner() string { return p.inner }

// Name identifies the program; replicas have different names.
func (p *Program) Name() string { return p.name }

// ready returns nil when both listeners accept connections and /readyz is 200.
func (p *Program) ready(ctx context.Context) error {
	if err := answers(ctx, "http://"+p.inner+"/readyz"); err != nil {
		return err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", p.outer)
	if err != nil {
		return err
	}
	return conn.Close()
}

// awaitPages waits until the sign-in page is served.
func (s *Stack) awaitPages(ctx context.Context) error {
	gateway := s.Program("gateway")
	return gateway.Await(ctx, func() error { return answers(ctx, s.URL+"/sign-in") })
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
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", req.URL.Path, res.Status)
	}
	return nil
}
