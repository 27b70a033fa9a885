package devstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Run runs one of the program's other commands and returns its stdout.
func (p *Program) Run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.Command[0], args...) //nolint:gosec // G204: our own arguments
	cmd.Env, cmd.Stdin = p.Environ(), stdin
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("%s %s: %w:\n%s", p.Name, strings.Join(args, " "), err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// Token is a created token with its secret.
type Token struct{ ID, Secret string }

// CreateToken creates a token of an organization. more are further flags of
// `tokens-svc token create`.
func (s *Stack) CreateToken(ctx context.Context, organization, permissions string, more ...string) (Token, error) {
	args := append([]string{
		"token", "create", "--organization", organization,
		"--name", "demo", "--permissions", permissions,
	}, more...)
	out, err := s.tokens(ctx, args...)
	secret := strings.TrimSpace(string(out))
	parts := strings.Split(secret, "_")
	if err == nil && len(parts) != 4 {
		err = fmt.Errorf("tokens-svc token create printed %d bytes that are no token", len(out))
	}
	if err != nil {
		return Token{}, err
	}
	return Token{ID: "tok_" + parts[2], Secret: secret}, nil
}

// CreateTokens creates n such tokens and returns their secrets.
func (s *Stack) CreateTokens(
	ctx context.Context, n int, organization, permissions string, more ...string,
) ([]string, error) {
	secrets := make([]string, n)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i := range secrets {
		group.Go(func() error {
			token, err := s.CreateToken(ctx, organization, permissions, more...)
			secrets[i] = token.Secret
			return err
		})
	}
	return secrets, group.Wait()
}

// RevokeToken ends a token.
func (s *Stack) RevokeToken(ctx context.Context, id string) error {
	_, err := s.tokens(ctx, "token", "revoke", id)
	return err
}

// CreateOrganization creates an organization and returns its id.
func (s *Stack) CreateOrganization(ctx context.Context, name string) (string, error) {
	out, err := s.tokens(ctx, "org", "create", "--name", name)
	return strings.TrimSpace(string(out)), err
}

// CreateUser creates a user and returns the password. An existing user becomes a
// member of a further organization and keeps the password; the returned one is
// empty. more are further flags of `tokens-svc user create`.
func (s *Stack) CreateUser(
	ctx context.Context, email, organization, role string, more ...string,
) (password string, err error) {
	args := append([]string{
		"user", "create", "--email", email, "--organization", organization, "--role", role,
	}, more...)
	// without a password one is generated and printed
	out, err := s.tokens(ctx, args...)
	return strings.TrimSpace(string(out)), err
}

// VerifyAudit verifies the audit logs of all organizations.
func (s *Stack) VerifyAudit(ctx context.Context) error {
	_, err := s.tokens(ctx, "audit", "verify")
	return err
}

// tokens runs a command of tokens-svc with an empty line as its input.
func (s *Stack) tokens(ctx context.Context, args ...string) ([]byte, error) {
	return s.Program("tokens-svc").Run(ctx, strings.NewReader("\n"), args...)
}
