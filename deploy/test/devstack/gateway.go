package devstack

import (
	"context"
	"slices"
)

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
	p.Env = slices.Concat(p.Env, env,
		[]string{"GATEWAY_ADDRESS=" + port(p.Address), "GATEWAY_INNER_ADDRESS=" + port(p.Inner)})
	return &p, p.Start(ctx)
}
