package tokengate

import (
	"errors"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/outage"
)

// tokensOutages log the outages of a tokens service, one for each use of it. They outlive the configuration that
// created them.
type tokensOutages struct {
	asking, credential, stream, usage *outage.Tracker
}

func newTokensOutages() tokensOutages {
	logger := caddy.Log().Named("http.handlers.token_gate")
	journal := func(what string) *outage.Tracker {
		return outage.New(what, func() *zap.Logger { return logger })
	}
	return tokensOutages{
		asking:     journal("tokens service"),
		credential: journal("gateway credential"),
		stream:     journal("stream of changes"),
		usage:      journal("reporting usage"),
	}
}

// down reports whether tokens cannot be introspected.
func (o tokensOutages) down() bool { return o.asking.Down() || o.credential.Down() }

// record records the result of an introspection. A refused credential is an outage of its own, because waiting does
// not end it.
func (o tokensOutages) record(err error) {
	if errors.Is(err, introspect.ErrCredential) {
		o.credential.Record(err)
		return
	}
	o.asking.Record(err)
	if err == nil {
		o.credential.Record(nil)
	}
}
