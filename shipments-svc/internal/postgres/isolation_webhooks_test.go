package postgres

import (
	"context"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// webhookThefts are the thefts of endpoints and deliveries; last those that make
// some that are the thief's own.
func webhookThefts() []theft {
	return []theft{
		{"DeleteEndpoint", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(r.DeleteEndpoint(ctx, thief, v.hook.ID))
		}},
		{"Endpoints", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			all, err := r.Endpoints(ctx, thief)
			return len(all) > 0, err
		}},
		{"Endpoint", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(second(r.Endpoint(ctx, thief, v.hook.ID)))
		}},
		{"LockEndpoint", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(second(r.LockEndpoint(ctx, thief, v.hook.ID)))
		}},
		{"UpdateEndpoint", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(r.UpdateEndpoint(ctx, thief, webhooks.Endpoint{ID: v.hook.ID, URL: "https://thief.example/"}))
		}},
		{"RotateSecret", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(second(r.RotateSecret(ctx, thief, v.hook.ID, webhooks.Secret{}, later, later)))
		}},
		{"Reseal", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			return false, r.Reseal(ctx, thief) // it fails on a secret that was sealed for another
		}},
		{"Deliveries", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			all, err := r.Deliveries(ctx, thief, webhooks.DeliveryQuery{Endpoint: v.hook.ID}, 10)
			return len(all) > 0, err
		}},
		{"Replay", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			there, err := r.Replay(ctx, thief, v.hook.ID, []shipments.EventID{v.delivery.Event.ID}, later)
			return len(there) > 0, err
		}},
		{"ReplayRange", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			n, _, err := r.ReplayRange(ctx, thief, v.hook.ID, 0, 10, 10, later)
			return n > 0, err
		}},
		{"Claim", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, ok, err := r.Claim(ctx, webhooks.EndpointKey{Org: thief, Endpoint: v.hook.ID}, later.AddDate(1, 0, 0), later)
			return ok, err
		}},
		{"Finish", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.delivery.Org = thief
			return false, r.Finish(
				ctx, v.delivery, webhooks.Attempt{At: later}, webhooks.Verdict{Status: webhooks.Failed, Health: webhooks.Left},
			)
		}},
		{"CreateEndpoint", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return false, r.CreateEndpoint(
				ctx, thief, webhooks.EndpointWithSecret{Endpoint: webhooks.Endpoint{ID: v.hook.ID, CreatedAt: Noon}},
			)
		}},
		{"CreateTest", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return false, r.CreateTest(ctx, thief, v.hook.ID, shipments.EventID{8}, later)
		}},
	}
}
