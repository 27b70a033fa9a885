package tokengate

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/caddyserver/caddy/v2"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// Values of Mode.
const (
	modeEnforce = "enforce"
	modeShadow  = "shadow"
)

// enforcement is how windows are enforced, read from the settings.
type enforcement struct {
	options ratelimit.Options
	// shadow admits what a window would refuse.
	shadow bool
}

// readEnforcement reads RedisDown, Replicas and Mode.
func (g *Gate) readEnforcement(repl *caddy.Replacer) (enforcement, error) {
	var problems []error
	e := enforcement{options: ratelimit.Options{Down: ratelimit.DownPolicy(repl.ReplaceAll(g.RedisDown, "")), Replicas: 1}}
	switch e.options.Down {
	case "":
		e.options.Down = ratelimit.DownLocal
	case ratelimit.DownLocal, ratelimit.DownDeny, ratelimit.DownAllow:
	default:
		problems = append(problems, fmt.Errorf("token_gate: redis_down is %q, must be local, deny or allow", e.options.Down))
	}
	if text := repl.ReplaceAll(g.Replicas, ""); text != "" {
		replicas, err := strconv.Atoi(text)
		if err != nil || replicas < 1 {
			problems = append(problems, fmt.Errorf("token_gate: replicas is %q, must be a whole number from 1", text))
		}
		e.options.Replicas = replicas
	}
	switch mode := repl.ReplaceAll(g.Mode, ""); mode {
	case "", modeEnforce:
	case modeShadow:
		e.shadow = true
	default:
		problems = append(problems, fmt.Errorf("token_gate: mode is %q, must be enforce or shadow", mode))
	}
	return e, errors.Join(problems...)
}

// stops reports whether a request with this result is refused. In shadow mode it passes in any case, and so it
// does if it could not be counted and need not be.
func (e enforcement) stops(result ratelimit.Result, err error) bool {
	return !e.shadow && err == nil && !result.Allowed
}
