package devstack

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// handle lets another process run tokens-svc's commands on a running stack.
type handle struct {
	Binary      string   `json:"binary"`
	Environment []string `json:"environment"`
}

// writeHandle writes the handle to the state directory, for FreshToken.
func (s *Stack) writeHandle() error {
	tokens := s.Program("tokens-svc")
	content, err := json.Marshal(handle{Binary: tokens.Command[0], Environment: tokens.Env})
	if err != nil {
		return err
	}
	return os.WriteFile(handlePath(s.opts.Dir), content, 0o600)
}

func handlePath(dir string) string { return filepath.Join(dir, "secrets", "tokens-svc.json") }

// FreshToken creates a token on the stack that runs in dir, of the demo
// organization if organization is empty.
func FreshToken(ctx context.Context, dir, organization, permissions string) (Token, error) {
	content, err := os.ReadFile(handlePath(dir))
	if err != nil {
		return Token{}, errors.New("no stack runs here: start one with `make run`")
	}
	var h handle
	if err := json.Unmarshal(content, &h); err != nil {
		return Token{}, err
	}
	if organization == "" {
		env, err := os.ReadFile(filepath.Join(dir, "demo.env")) //nolint:gosec // G304: our own file
		if err != nil {
			return Token{}, err
		}
		organization = readDemo(string(env)).Organization
	}
	held, err := lock(dir, false)
	if err == nil {
		_ = held.Close()
		return Token{}, errors.New("no stack runs here: start one with `make run`")
	}
	return Attach(h.Binary, h.Environment).CreateToken(ctx, organization, permissions)
}

// Attach returns a stack of another process for the commands of its tokens-svc,
// which has this executable and environment.
func Attach(binary string, env []string) *Stack {
	return &Stack{programs: []*Program{NewProgram(ProgramConfig{Name: "tokens-svc", Command: []string{binary}, Env: env})}}
}
