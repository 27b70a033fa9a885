package devstack

import (
	"context"
	"errors"
	"slices"
)

// control is a second gateway and its Redis.
type control struct {
	program *Program
	redis   stopper
}

// StartControl starts a second gateway for comparison. It has a Redis of its own
// and reaches tokens-svc without proxies, is not among Programs, and stops with
// the stack.
func (s *Stack) StartControl(ctx context.Context) (*Program, error) {
	address, err := s.ports.free(ctx)
	if err != nil {
		return nil, err
	}
	var redis string
	if s.control.redis, redis, err = startRedis(ctx, "redis-control", address, s.LogDir(), s.opts.Log); err != nil {
		return nil, err
	}
	s.control.program, err = s.StartGateway(ctx, "gateway-control", "REDIS_URL="+redis,
		"TOKENS_INTERNAL_URL=http://"+s.ports.tokensInner, "TOKENS_PORT="+port(s.ports.tokens)[1:])
	return s.control.program, err
}

// StartGateway starts a further gateway, with settings that replace those of the
// first. It is not among Programs; the caller stops it.
func (s *Stack) StartGateway(ctx context.Context, name string, env ...string) (*Program, error) {
	outer, err := s.ports.free(ctx)
	if err != nil {
		return nil, err
	}
	inner, err := s.ports.free(ctx)
	if err != nil {
		return nil, err
	}
	same := s.Program("gateway")
	p := &Program{
		name: name, command: same.command, args: same.args, replicas: same.replicas,
		binary: same.binary, logDir: same.logDir, outer: outer, inner: inner,
		// the last value of a variable applies
		env: slices.Concat(same.env, env, []string{"GATEWAY_ADDRESS=" + port(outer), "GATEWAY_INNER_ADDRESS=" + port(inner)}),
	}
	return p, p.Start(ctx)
}

func (c control) stop() error {
	var errs []error
	if c.program != nil {
		errs = append(errs, c.program.Stop())
	}
	if c.redis != nil {
		errs = append(errs, c.redis.Stop())
	}
	return errors.Join(errs...)
}
