package devstack

import (
	"context"
	"slices"
)

// StartControl starts a second gateway for comparison. It has a Redis of its own
// and reaches tokens-svc without proxies, is not among Programs, and stops with
// the stack.
func (s *Stack) StartControl(ctx context.Context) (*Program, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	redis, redisURL, err := startRedis(ctx, "redis-control", address, s.LogDir(), s.opts.Log)
	if redis != nil {
		s.onClose(redis.Stop)
	}
	if err != nil {
		return nil, err
	}
	program, err := s.StartGateway(ctx, "gateway-control", "REDIS_URL="+redisURL,
		"TOKENS_INTERNAL_URL=http://"+s.ports.tokensInner, "TOKENS_PORT="+port(s.ports.tokens)[1:])
	if program != nil {
		s.onClose(program.Stop)
	}
	return program, err
}

// StartGateway starts a further gateway, with settings that replace those of the
// first. It is not among Programs; the caller stops it.
func (s *Stack) StartGateway(ctx context.Context, name string, env ...string) (*Program, error) {
	addresses, err := FreeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	p := *s.Program("gateway")
	p.Name, p.Process, p.Address, p.Inner = name, nil, addresses[0], addresses[1]
	// the last value of a variable applies
	p.Env = slices.Concat(p.Env, env, []string{"GATEWAY_ADDRESS=" + port(p.Address), "GATEWAY_INNER_ADDRESS=" + port(p.Inner)})
	return &p, p.Start(ctx)
}
