package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
)

// startPrograms builds the programs, migrates the services' databases and
// starts all of them.
func (s *Stack) startPrograms(ctx context.Context) error {
	programs, err := s.describePrograms(ctx)
	if err != nil {
		return err
	}
	s.say("building  the programs, for some minutes if nothing of them is compiled")
	bin, err := Build(ctx, s.opts.Root, s.opts.Race)
	if err != nil {
		return err
	}
	for _, p := range programs {
		program := p.Command[0]
		p.Command[0] = filepath.Join(bin, program)
		if p.Name != program { // a further replica
			continue
		}
		if p.Command[1] == "serve" {
			if _, err := p.Run(ctx, nil, "migrate", "up"); err != nil {
				return err
			}
		}
	}
	for _, p := range programs {
		s.onClose(p.Stop)
		if err := p.Start(ctx); err != nil {
			return err
		}
		s.programs = append(s.programs, p)
		s.say("started   %s", p.Name)
	}
	return nil
}

// describePrograms lists the programs in the order in which they start.
func (s *Stack) describePrograms(ctx context.Context) (programs []*Program, err error) {
	if programs, err = s.describeServices(ctx); err != nil {
		return nil, err
	}
	gateway, err := s.describeGateway(ctx)
	if err != nil {
		return nil, err
	}
	programs = append(programs, gateway)
	for _, p := range programs {
		p.LogDir = s.LogDir()
		p.Env = slices.Concat(s.opts.Env, p.Env, []string{"QUAYSIDE_DEMO=true"}) // the last value of a variable applies
		if s.opts.Race {
			// without the second that the detector sleeps at the end of every command
			p.Env = append(p.Env, "GORACE=atexit_sleep_ms=0")
		}
		if s.Traces != nil {
			p.Env = append(p.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+s.Traces.URL, "OTEL_BSP_SCHEDULE_DELAY=100")
		}
	}
	return programs, nil
}

func (s *Stack) describeServices(ctx context.Context) (programs []*Program, err error) {
	dsn := map[string]string{}
	for name := range s.dsn {
		if dsn[name], err = s.linkDSN(ctx, name+"-postgres", s.dsn[name]); err != nil {
			return nil, err
		}
	}
	callers := "GATEWAY_PUBLIC_KEYS_FILE=" + s.PublicKeyFile()
	programs = append(programs, &Program{ProgramConfig: ProgramConfig{
		Name: "tokens-svc", Command: []string{"tokens-svc", "serve"},
		Address: s.ports.tokens, Inner: s.ports.tokensInner,
		Env: []string{
			"DATABASE_URL=" + dsn["tokens"], "DATABASE_DIRECT_URL=" + s.dsn["tokens"],
			"GATEWAY_CREDENTIAL_FILE=" + s.secret("gateway_credential"),
			"TOKEN_PEPPERS_FILE=" + s.secret("token_peppers"),
			"LISTEN_ADDRESS=" + s.ports.tokens, "INNER_ADDRESS=" + s.ports.tokensInner, callers,
			"PUBLIC_URL=" + s.PublicURL, "TOTP_KEYS_FILE=" + s.secret("totp_keys"),
			"SERVICE_PERMISSIONS=" + filepath.Join(s.ServicesDir(), "*.json"),
		},
	}})
	for i := range s.replicas.addresses {
		name, inner := "shipments-svc", s.ports.shipmentsInner
		if i > 0 {
			name = fmt.Sprintf("shipments-svc-%d", i+1)
			if inner, err = freeAddress(ctx); err != nil {
				return nil, err
			}
		}
		listen, err := s.replicaLink(ctx, name, s.replicas.addresses[i]+Port(s.ports.shipments))
		if err != nil {
			return nil, err
		}
		programs = append(programs, &Program{ProgramConfig: ProgramConfig{
			Name: name, Command: []string{"shipments-svc", "serve"}, Address: listen, Inner: inner,
			Env: []string{
				"DATABASE_URL=" + dsn["shipments"], "DATABASE_DIRECT_URL=" + s.dsn["shipments"],
				"LISTEN_ADDRESS=" + listen, "INNER_ADDRESS=" + inner, callers,
				"DOCUMENTS_DIR=" + filepath.Join(s.opts.Dir, "documents"), // shared by all replicas
				"WEBHOOK_KEYS_FILE=" + s.secret("webhook_keys"),
			},
		}})
	}
	return programs, nil
}

func (s *Stack) describeGateway(ctx context.Context) (*Program, error) {
	links := map[string]string{
		"gateway-redis": "", "gateway-tokens-inner": s.ports.tokensInner,
		"gateway-tokens": s.ports.tokens,
	}
	redis, err := url.Parse(s.RedisURL)
	if err != nil {
		return nil, errors.New("REDIS_URL is no URL")
	}
	links["gateway-redis"] = redis.Host
	for name, server := range links {
		if links[name], err = s.link(ctx, name, server); err != nil {
			return nil, err
		}
	}
	redis.Host = links["gateway-redis"]
	env := []string{
		"GATEWAY_CREDENTIAL_FILE=" + s.secret("gateway_credential"),
		"GATEWAY_SIGNING_KEY_FILE=" + s.secret("gateway_signing_key"),
		"REDIS_URL=" + redis.String(),
		"GATEWAY_BIND=127.0.0.1", "GATEWAY_TLS=off",
		"GATEWAY_ADDRESS=" + Port(s.ports.gateway), "GATEWAY_INNER_ADDRESS=" + Port(s.ports.gatewayInner),
		"TOKENS_INTERNAL_URL=http://" + links["gateway-tokens-inner"],
		"TOKENS_HOST=127.0.0.1", "TOKENS_PORT=" + Port(links["gateway-tokens"])[1:],
		"SHIPMENTS_HOST=" + s.replicas.host, "SHIPMENTS_PORT=" + Port(s.ports.shipments)[1:],
		"SERVICE_ROUTES=" + filepath.Join(s.ServicesDir(), "*.caddy"),
		"XDG_DATA_HOME=" + s.opts.Dir, "XDG_CONFIG_HOME=" + s.opts.Dir,
	}
	return &Program{replicas: s.replicas, ProgramConfig: ProgramConfig{
		Name: "gateway", Address: s.ports.gateway, Inner: s.ports.gatewayInner, Env: env,
		Command: []string{
			"gateway", "run", "--adapter", "caddyfile", "--config",
			filepath.Join(s.opts.Root, "gateway", "Caddyfile"),
		},
	}}, nil
}
