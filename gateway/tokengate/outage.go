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
	introspection, credential, stream, usage *outage.Tracker
}

func newTokensOutages() tokensOutages {
	logger := caddy.Log().Named("http.handlers.token_gate")
	tracker := func(what string) *outage.Tracker {
		return outage.New(what, func() *zap.Logger { return logger })
	}
	return tokensOutages{
		introspection: tracker("tokens service"),
		credential:    tracker("gateway credential"),
		stream:        tracker("stream of changes"),
		usage:         tracker("reporting usage"),
	}
}

// down reports whether tokens cannot be introspected.
func (o tokensOutages) down() bool { return o.introspection.Down() || o.credential.Down() }

// record records the result of an introspection. A refused credential is an outage of its own, because waiting does
// not end it.
func (o tokensOutages) record(err error) {
	if errors.Is(err, introspect.ErrCredential) {
		o.credential.Record(err)
		return
	}
	o.introspection.Record(err)
	if err == nil {
		o.credential.Record(nil)
	}
}
