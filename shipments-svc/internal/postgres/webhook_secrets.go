package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// secretOf is the context in which the secret of an endpoint is sealed.
func secretOf(org shipments.OrgID, id webhooks.ID) string {
	return fmt.Sprintf("webhook secret %x %x", org, id)
}

func (w *Webhooks) seal(s webhooks.Secret, org shipments.OrgID, id webhooks.ID) []byte {
	return w.keys.Seal(s[:], secretOf(org, id))
}

func (w *Webhooks) open(sealed []byte, org shipments.OrgID, id webhooks.ID) (webhooks.Secret, error) {
	text, err := w.keys.Open(sealed, secretOf(org, id))
	if err == nil && len(text) != len(webhooks.Secret{}) {
		err = sealing.ErrSealed
	}
	if err != nil {
		return webhooks.Secret{}, fmt.Errorf("secret of webhook endpoint %s: %w", id, err)
	}
	return webhooks.Secret(text), nil
}

// Reseal seals the organization's secrets with the newest key, so that older ones are no
// longer needed. One that cannot be opened does not stop the others; the error names it.
func (w *Webhooks) Reseal(ctx context.Context, org shipments.OrgID) error {
	rows, err := getRows[sealedRow](ctx, w.tenant(ctx, org), query("read_sealed_secrets"), org)
	if err != nil {
		return err
	}
	var errs []error
	for _, row := range rows {
		old := func(sealed []byte) bool { return len(sealed) > 0 && !w.keys.Newest(sealed) }
		if slices.ContainsFunc(row.Secrets, old) {
			errs = append(errs, w.reseal(ctx, org, row))
		}
	}
	return errors.Join(errs...)
}

// sealedRow is a row of read_sealed_secrets.
type sealedRow struct {
	ID      uuid.UUID
	Secrets pq.ByteaArray // the second is empty if there is no previous one
}

func (w *Webhooks) reseal(ctx context.Context, org shipments.OrgID, row sealedRow) error {
	id, newest := webhooks.ID(row.ID), slices.Clone(row.Secrets)
	for i, sealed := range row.Secrets {
		if len(sealed) == 0 {
			continue
		}
		secret, err := w.open(sealed, org, id)
		if err != nil {
			return err
		}
		newest[i] = w.seal(secret, org, id)
	}
	return execute(ctx, w.tenant(ctx, org), query("replace_sealed_secrets"), org, row.ID, row.Secrets, newest)
}

var _ webhooks.Repository = (*Webhooks)(nil)
