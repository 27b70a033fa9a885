package tokengate

import (
	"errors"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/introspect"
)

// outages are the faults that would otherwise be logged once a request.
type outages struct {
	tokens, credential *outage
}

func newOutages(logger *zap.Logger) outages {
	return outages{
		tokens:     &outage{logger: logger, what: "tokens service"},
		credential: &outage{logger: logger, what: "gateway credential"},
	}
}

// asked notes how an introspection ended. A refused credential is told apart: no amount of waiting helps.
func (o outages) asked(err error) {
	if errors.Is(err, introspect.ErrCredential) {
		o.credential.note(err)
		return
	}
	o.tokens.note(err)
	if err == nil {
		o.credential.note(nil)
	}
}

// outage logs one line when something fails and one when it works again.
type outage struct {
	logger *zap.Logger
	what   string
	down   atomic.Bool
}

func (o *outage) note(err error) {
	switch {
	case err != nil && o.down.CompareAndSwap(false, true):
		o.logger.Error(o.what+" fails", zap.Error(err))
	case err == nil && o.down.Load() && o.down.CompareAndSwap(true, false):
		o.logger.Info(o.what + " works again")
	}
}
