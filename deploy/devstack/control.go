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
	address, err := freeAddress(ctx)
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
	addresses, err := FreeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	p := *s.Program("gateway")
	p.name, p.Process, p.outer, p.inner = name, nil, addresses[0], addresses[1]
	// the last value of a variable applies
	p.env = slices.Concat(p.env, env, []string{"GATEWAY_ADDRESS=" + port(p.outer), "GATEWAY_INNER_ADDRESS=" + port(p.inner)})
	return &p, p.Start(ctx)
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
