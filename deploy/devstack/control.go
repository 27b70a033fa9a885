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
	var addresses [3]string
	for i := range addresses {
		address, err := s.ports.free(ctx)
		if err != nil {
			return nil, err
		}
		addresses[i] = address
	}
	var redis string
	var err error
	if s.control.redis, redis, err = startRedis(ctx, "redis-control", addresses[2], s.LogDir(), s.opts.Log); err != nil {
		return nil, err
	}
	same := s.Program("gateway")
	p := &Program{
		name: "gateway-control", command: same.command, args: same.args, replicas: same.replicas,
		binary: same.binary, logDir: same.logDir, outer: addresses[0], inner: addresses[1],
		env: slices.Concat(same.env, []string{ // the last value of a variable applies
			"REDIS_URL=" + redis,
			"GATEWAY_ADDRESS=" + port(addresses[0]), "GATEWAY_INNER_ADDRESS=" + port(addresses[1]),
			"TOKENS_INTERNAL_URL=http://" + s.ports.tokensInner, "TOKENS_PORT=" + port(s.ports.tokens)[1:],
		}),
	}
	s.control.program = p
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
