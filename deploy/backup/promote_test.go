package backup

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// TestAPromotedReplicaWithoutTheLatestChangesLosesNoRevocation: two changes are
// lost, and their revisions are used again for the revocation of a token that
// the gateway has in its cache, and for another change.
func TestAPromotedReplicaWithoutTheLatestChangesLosesNoRevocation(t *testing.T) {
	t.Parallel()
	s := start(t, devstack.Options{Dir: tempDir(t)})
	victim, first, second, other := s.token(t), s.token(t), s.token(t), s.token(t)
	data, err := filepath.EvalSymlinks(filepath.Join(s.dir, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	replica := data + "-replica"
	done := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	done(s.StopPostgres(), exec.CommandContext(t.Context(), "cp", "-a", data, replica).Run(), s.StartPostgres(t.Context()))
	t.Cleanup(func() { _ = os.RemoveAll(replica) })

	for _, lost := range []devstack.Token{first, second} {
		if got := s.eventually(t, lost.Secret, http.StatusOK); got != http.StatusOK {
			t.Fatal(got)
		}
		done(s.RevokeToken(t.Context(), lost.ID))
		if got := s.eventually(t, lost.Secret, http.StatusUnauthorized); got != http.StatusUnauthorized {
			t.Fatalf("got %d, want 401: the gateway did not receive the change", got)
		}
	}
	if got := s.eventually(t, victim.Secret, http.StatusOK); got != http.StatusOK {
		t.Fatal(got)
	}
	service := s.Program("tokens-svc")
	done(service.Stop(), s.StopPostgres(), os.RemoveAll(data), os.Rename(replica, data), s.StandByPostgres(t.Context()))
	db := connect(t, s.DSN("tokens"))
	execute(t, db, "SELECT pg_promote()")
	done(s.RevokeToken(t.Context(), victim.ID))
	for range 2 {
		done(s.UpdateToken(t.Context(), other.ID, "--limit", "1000"), s.UpdateToken(t.Context(), other.ID, "--limit", "2000"))
	}
	done(service.Start(t.Context()))
	if got := s.eventually(t, victim.Secret, http.StatusUnauthorized); got != http.StatusUnauthorized {
		t.Errorf("%d for a revoked token 10 s after the change stream is back", got)
	}
}

// eventually returns the status of requests with a token, as soon as it is the
// wanted one or after 10 seconds.
func (p product) eventually(t *testing.T, token string, want int) (got int) {
	t.Helper()
	// a poll, below the demo's limit
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if got = p.status(t, token); got == want {
			break
		}
	}
	return got
}
