package devstack

import (
	"context"
	"path/filepath"
	"slices"
)

// startPrograms migrates the services' databases and starts the programs.
func (s *Stack) startPrograms(ctx context.Context) error {
	for _, p := range s.describePrograms() {
		p.Command[0], p.LogDir = filepath.Join(s.files.programs, p.Name), s.LogDir()
		p.Env = slices.Concat(s.opts.Env, p.Env, []string{"QUAYSIDE_DEMO=true"}) // the last value of a variable applies
		if s.opts.Race {
			// without the second that the detector sleeps at the end of every command
			p.Env = append(p.Env, "GORACE=atexit_sleep_ms=0")
		}
		if p.Name != "gateway" {
			if _, err := p.Run(ctx, nil, "migrate", "up"); err != nil {
				return err
			}
		}
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
func (s *Stack) describePrograms() []*Program {
	definitions := "SERVICE_DEFINITIONS=" + filepath.Join(s.ServicesDir(), "*.json")
	keys := "GATEWAY_PUBLIC_KEYS_FILE=" + s.PublicKeyFile()
	tokens := &Program{
		Name: "tokens-svc", Command: []string{"tokens-svc", "serve"},
		Address: s.ports.tokens, Inner: s.ports.tokensInner,
		Env: []string{
			"DATABASE_URL=" + s.dsn["tokens"], "DATABASE_DIRECT_URL=" + s.dsn["tokens"],
			"LISTEN_ADDRESS=" + s.ports.tokens, "INNER_ADDRESS=" + s.ports.tokensInner, keys,
			"GATEWAYS_ADDRESS=" + s.ports.tokensGateways,
			"GATEWAY_CREDENTIAL_FILE=" + s.secret("gateway_credential"),
			"TOKEN_PEPPERS_FILE=" + s.secret("token_peppers"), "TOTP_KEYS_FILE=" + s.secret("totp_keys"),
			"PUBLIC_URL=" + s.PublicURL, definitions,
		},
	}
	shipments := &Program{
		Name: "shipments-svc", Command: []string{"shipments-svc", "serve"},
		Address: s.ports.shipments, Inner: s.ports.shipmentsInner,
		Env: []string{
			"DATABASE_URL=" + s.dsn["shipments"], "DATABASE_DIRECT_URL=" + s.dsn["shipments"],
			"LISTEN_ADDRESS=" + s.ports.shipments, "INNER_ADDRESS=" + s.ports.shipmentsInner, keys,
			"DOCUMENTS_DIR=" + filepath.Join(s.opts.Dir, "documents"),
			"WEBHOOK_KEYS_FILE=" + s.secret("webhook_keys"), definitions,
		},
	}
	gateway := &Program{
		Name: "gateway", Address: s.ports.gateway, Inner: s.ports.gatewayInner,
		Command: []string{
			"gateway", "run", "--adapter", "caddyfile", "--config", s.files.caddyfile,
		},
		Env: []string{
			"GATEWAY_CREDENTIAL_FILE=" + s.secret("gateway_credential"),
			"GATEWAY_SIGNING_KEY_FILE=" + s.secret("gateway_signing_key"),
			"GATEWAY_BIND=127.0.0.1", "GATEWAY_TLS=off",
			"GATEWAY_ADDRESS=" + Port(s.ports.gateway), "GATEWAY_INNER_ADDRESS=" + Port(s.ports.gatewayInner),
			"REDIS_URL=" + s.RedisURL,
			"TOKENS_INTERNAL_URL=http://" + s.ports.tokensGateways,
			"TOKENS_HOST=127.0.0.1", "TOKENS_PORT=" + Port(s.ports.tokens)[1:],
			"SHIPMENTS_HOST=127.0.0.1", "SHIPMENTS_PORT=" + Port(s.ports.shipments)[1:],
			"SERVICE_ROUTES=" + filepath.Join(s.ServicesDir(), "*.caddy"),
			"XDG_DATA_HOME=" + s.opts.Dir, "XDG_CONFIG_HOME=" + s.opts.Dir,
		},
	}
	return []*Program{tokens, shipments, gateway}
}
