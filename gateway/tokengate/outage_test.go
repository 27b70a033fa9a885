package tokengate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/outage"
)

func TestRefusedCredentialIsAnOutageOfItsOwnThatASuccessEnds(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			err                       error
			introspection, credential bool
		}{
			{introspect.ErrCredential, false, true},
			{introspect.ErrUnavailable, true, false},
		} {
			o := newTokensOutages()
			o.record(tt.err)
			if o.introspection.Down() != tt.introspection || o.credential.Down() != tt.credential || !o.down() {
				t.Errorf("%v: introspection %t, credential %t", tt.err, o.introspection.Down(), o.credential.Down())
			}
			o.record(nil)
			time.Sleep(outage.StableTime + time.Second)
			if synctest.Wait(); o.down() {
				t.Errorf("%v: not over after a success", tt.err)
			}
		}
	})
}
