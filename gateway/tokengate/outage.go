package tokengate

import (
	"errors"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/outage"
)

// tokensOutages log the outages of a tokens service, one for each use of it. They outlive the configuration that
// created them.
type tokensOutages struct {
	introspection, credential, stream, usage *outage.Journal
}

func newTokensOutages() tokensOutages {
	return tokensOutages{
		introspection: outage.New("tokens service"),
		credential:    outage.New("gateway credential"),
		stream:        outage.New("stream of changes"),
		usage:         outage.New("reporting usage"),
	}
}

// down reports whether tokens cannot be introspected.
func (o tokensOutages) down() bool { return o.introspection.Down() || o.credential.Down() }

// record records the result of an introspection. A refused credential is an outage of its own, because waiting does
// not end it.
func (o tokensOutages) record(err error) {
	if errors.Is(err, introspect.ErrCredential) {
		o.credential.Note(err)
		return
	}
	o.introspection.Note(err)
	if err == nil {
		o.credential.Note(nil)
	}
}
