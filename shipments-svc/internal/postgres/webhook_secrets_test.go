package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

// TestSecretsAreSealed: nothing that Postgres keeps holds one, and one that is
// put in the place of another's does not open.
func TestSecretsAreSealed(t *testing.T) {
	t.Parallel()
	w, db := openWebhooks(t)
	org := NewOrg()
	made := endpointOf(t, w, org)
	var kept [][]byte
	must(t, db.SelectContext(t.Context(), &kept, `
		SELECT secret FROM webhook_endpoints
		UNION ALL SELECT convert_to(w::text, 'UTF8') FROM webhook_endpoints w`))
	if len(kept) != 2 {
		t.Fatalf("%d values", len(kept))
	}
	answer := []byte(made.Secret.Reveal())
	for _, text := range kept {
		for _, shown := range [][]byte{
			made.Secret[:], answer, answer[len("whsec_"):],
			[]byte(fmt.Sprintf("%x", made.Secret[:])),
		} {
			if bytes.Contains(text, shown) {
				t.Errorf("%q holds the secret", text)
			}
		}
	}
	other := endpointOf(t, w, org)
	exec(t, db, `UPDATE webhook_endpoints SET secret = $2 WHERE id = $1`, uuid.UUID(other.ID), kept[0])
	happen(t, w, org, 1)
	if _, _, err := w.Claim(t.Context(), webhooks.EndpointKey{Org: org, Endpoint: other.ID}, later, later); !errors.Is(
		err, sealing.ErrSealed,
	) {
		t.Errorf("another's secret: %v", err)
	}
}

func TestSecretsMoveToTheNewestKey(t *testing.T) {
	t.Parallel()
	old, _ := openWebhooks(t)
	org := NewOrg()
	made := endpointOf(t, old, org)
	second, next := webhooks.Secret{76}, webhooks.Secret{77}
	for i, secret := range []webhooks.Secret{second, next} {
		_, err := old.RotateSecret(t.Context(), org, made.ID, secret, Noon, later.AddDate(1, 0, i))
		must(t, err)
	}
	both := NewWebhooks(old.Repository, sealingKeys(t, 2, 1))
	for range 2 { // the second has nothing to do
		must(t, both.Reseal(t.Context(), org))
	}
	newest := NewWebhooks(old.Repository, sealingKeys(t, 2))
	happen(t, newest, org, 1)
	job, ok := newest.claim(t, org, made.ID, later)
	if !ok || !slices.Equal(job.Secrets, []webhooks.Secret{next, second, made.Secret}) {
		t.Errorf("%t, %d secrets", ok, len(job.Secrets))
	}
	if err := old.Reseal(t.Context(), org); !errors.Is(err, sealing.ErrSealed) {
		t.Errorf("without the newest key: %v", err)
	}
}

// TestSecretOfARetiredKeyDoesNotBlockOthers: the organization's other secrets move to
// the newest key.
func TestSecretOfARetiredKeyDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	retired, _ := openWebhooks(t)
	org := NewOrg()
	endpointOf(t, retired, org)
	second := NewWebhooks(retired.Repository, sealingKeys(t, 2))
	made := endpointOf(t, second, org)
	both := NewWebhooks(retired.Repository, sealingKeys(t, 3, 2))
	if err := both.Reseal(t.Context(), org); !errors.Is(err, sealing.ErrSealed) {
		t.Errorf("%v", err)
	}
	newest := NewWebhooks(retired.Repository, sealingKeys(t, 3))
	happen(t, newest, org, 1)
	job, ok := newest.claim(t, org, made.ID, later)
	if !ok || !slices.Equal(job.Secrets, []webhooks.Secret{made.Secret}) {
		t.Errorf("%t, %d secrets", ok, len(job.Secrets))
	}
}

// TestSecretsThatSignAreBounded, and those that no longer sign do not count.
func TestSecretsThatSignAreBounded(t *testing.T) {
	t.Parallel()
	w, _ := openWebhooks(t)
	org := NewOrg()
	made := endpointOf(t, w, org)
	for i := range webhooks.MaxSecrets {
		_, err := w.RotateSecret(t.Context(), org, made.ID, webhooks.Secret{1}, Noon, later)
		if full := i == webhooks.MaxSecrets-1; full != errors.Is(err, webhooks.ErrTooManySecrets) || !full && err != nil {
			t.Fatalf("rotation %d: %v", i+1, err)
		}
	}
	if _, err := w.RotateSecret(t.Context(), org, made.ID, webhooks.Secret{1}, later, later.AddDate(0, 0, 1)); err != nil {
		t.Error(err)
	}
}
