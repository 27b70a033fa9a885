package webhooks

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Limits of one replay.
const (
	MaxReplayed      = 1_000 // of a range
	MaxReplayedNamed = 100
)

// Service manages webhook endpoints.
type Service struct {
	repo     Repository
	newID    func() [16]byte
	now      func() time.Time
	loopback bool
}

// NewService returns a Service. newID returns ids, and now the time. With loopback,
// endpoints may be on this machine, for development.
func NewService(repo Repository, newID func() [16]byte, now func() time.Time, loopback bool) *Service {
	return &Service{repo: repo, newID: newID, now: now, loopback: loopback}
}

// Faults returns the faults of a draft, with pointers into it.
func (s *Service) Faults(d Draft) []shipments.Fault { return d.faults(s.loopback) }

// EditFaults returns the faults of an edit, with pointers into it.
func (s *Service) EditFaults(e Edit) []shipments.Fault { return e.faults(s.loopback) }

// Create creates an endpoint, which gets events from now on.
func (s *Service) Create(ctx context.Context, org shipments.OrgID, d Draft) (EndpointWithSecret, error) {
	if f := s.Faults(d); f != nil {
		return EndpointWithSecret{}, &shipments.Invalid{Faults: f}
	}
	now := s.instant()
	made := EndpointWithSecret{Secret: newSecret(), Endpoint: Endpoint{
		ID: s.newID(), URL: d.URL, Description: d.Description, EventTypes: ordered(d.EventTypes),
		Status: Enabled, CreatedAt: now, UpdatedAt: now,
	}}
	return made, s.repo.Locked(ctx, org, EndpointsLock, func(ctx context.Context) error {
		if err := s.repo.CreateEndpoint(ctx, org, made); err != nil {
			return err
		}
		return s.note(ctx, org, d.By, Create, made.Endpoint)
	})
}

// List returns all endpoints of the organization, the oldest first.
func (s *Service) List(ctx context.Context, org shipments.OrgID, _ struct{}) ([]Endpoint, error) {
	return s.repo.Endpoints(ctx, org)
}

// Get returns an endpoint.
func (s *Service) Get(ctx context.Context, org shipments.OrgID, id ID) (Endpoint, error) {
	return s.repo.Endpoint(ctx, org, id)
}

// Update applies an edit. An endpoint that is enabled again gets its waiting
// deliveries, but not the events of the time when it was disabled.
func (s *Service) Update(ctx context.Context, org shipments.OrgID, e Edit) (changed Endpoint, err error) {
	if f := s.EditFaults(e); f != nil {
		return Endpoint{}, &shipments.Invalid{Faults: f}
	}
	err = s.perform(ctx, org, e.Order, Update, func(ctx context.Context, from Endpoint) (Endpoint, error) {
		changed = e.applied(from)
		changed.UpdatedAt = s.instant()
		return changed, s.repo.UpdateEndpoint(ctx, org, changed)
	})
	return changed, err
}

// RotateSecret replaces the secret of an endpoint. For Overlap, deliveries also have the
// signature of the replaced one, whatever is rotated meanwhile.
func (s *Service) RotateSecret(ctx context.Context, org shipments.OrgID, o Order) (EndpointWithSecret, error) {
	made := EndpointWithSecret{Secret: newSecret()}
	err := s.perform(ctx, org, o, Rotate, func(ctx context.Context, _ Endpoint) (_ Endpoint, err error) {
		now := s.instant()
		made.Endpoint, err = s.repo.RotateSecret(ctx, org, o.ID, made.Secret, now, now.Add(Overlap))
		return made.Endpoint, err
	})
	return made, err
}

// Delete deletes an endpoint.
func (s *Service) Delete(ctx context.Context, org shipments.OrgID, o Order) (struct{}, error) {
	return struct{}{}, s.perform(ctx, org, o, Delete, func(ctx context.Context, e Endpoint) (Endpoint, error) {
		return e, s.repo.DeleteEndpoint(ctx, org, e.ID)
	})
}

// SendTest sends a test delivery, which is attempted once.
func (s *Service) SendTest(ctx context.Context, org shipments.OrgID, o Order) (d Delivery, err error) {
	err = s.enabled(ctx, org, o, func(ctx context.Context) error {
		now := s.instant()
		d = Delivery{Event: s.newID(), Type: Test, Status: Pending, Due: now, CreatedAt: now}
		return s.repo.CreateTest(ctx, org, o.ID, d.Event, now)
	})
	return d, err
}

// Deliveries returns deliveries of an endpoint, the latest event first.
func (s *Service) Deliveries(ctx context.Context, org shipments.OrgID, q DeliveryQuery) (DeliveryPage, error) {
	page := DeliveryPage{Limit: min(q.Limit, shipments.MaxPerPage)}
	if page.Limit < 1 {
		page.Limit = shipments.DefaultPerPage
	}
	if _, err := s.repo.Endpoint(ctx, org, q.Endpoint); err != nil {
		return DeliveryPage{}, err
	}
	all, err := s.repo.Deliveries(ctx, org, q, page.Limit+1)
	if page.Deliveries = all; int64(len(all)) > page.Limit {
		page.Deliveries, page.More = all[:page.Limit], true
	}
	return page, err
}

// Delivery returns the delivery of an event to an endpoint.
func (s *Service) Delivery(ctx context.Context, org shipments.OrgID, id ID, event shipments.EventID) (Delivery, error) {
	after := event
	for i := len(after) - 1; i >= 0; i-- { // the next id
		if after[i]++; after[i] != 0 {
			break
		}
	}
	found, err := s.repo.Deliveries(ctx, org, DeliveryQuery{Endpoint: id, Before: &after}, 1)
	if err == nil && (len(found) == 0 || found[0].Event != event) {
		err = ErrNotFound
	}
	if err != nil {
		return Delivery{}, err
	}
	return found[0], nil
}

// DeliveryPage is a page of an endpoint's deliveries.
type DeliveryPage struct {
	Deliveries []Delivery
	Limit      int64 // effective
	More       bool  // there is a next page
}

// Replay selects events to send to an endpoint, again or for the first time: the
// listed ones of any type, or else those of a range.
type Replay struct {
	Order
	Events []shipments.EventID // nil: a range
	After  int64               // start of the range, exclusive
	Until  int64               // end of the range, inclusive; 0: the latest event
}

// Replayed is the result of a Replay.
type Replayed struct {
	Events int   `json:"events"`
	Last   int64 `json:"next_after,omitempty"` // Number of the last event of an incomplete range; otherwise 0
}

// Replay sends events again, up to MaxReplayed of a range.
func (s *Service) Replay(ctx context.Context, org shipments.OrgID, r Replay) (done Replayed, err error) {
	err = s.enabled(ctx, org, r.Order, func(ctx context.Context) (err error) {
		done, err = s.replay(ctx, org, r)
		return err
	})
	return done, err
}

func (s *Service) replay(ctx context.Context, org shipments.OrgID, r Replay) (Replayed, error) {
	if r.Events == nil {
		if r.Until == 0 {
			r.Until = math.MaxInt64
		}
		n, last, err := s.repo.ReplayRange(ctx, org, r.ID, r.After, r.Until, MaxReplayed, s.instant())
		if n < MaxReplayed {
			last = 0
		}
		return Replayed{Events: n, Last: last}, err
	}
	found, err := s.repo.Replay(ctx, org, r.ID, r.Events, s.instant())
	if err != nil {
		return Replayed{}, err
	}
	var faults []shipments.Fault
	for i, id := range r.Events {
		if !slices.Contains(found, id) {
			faults = append(faults, shipments.Fault{
				Code: shipments.InvalidValue, Pointer: fmt.Sprintf("/event_ids/%d", i),
				Detail: "there is no such event, or it is no longer kept",
			})
		}
	}
	if faults != nil {
		return Replayed{}, &shipments.Invalid{Faults: faults}
	}
	return Replayed{Events: len(found)}, nil
}

// note stores who did what to an endpoint, of whose URL the path may be a secret.
func (s *Service) note(
	ctx context.Context, org shipments.OrgID, by shipments.Actor, action shipments.Action, e Endpoint,
) error {
	name := e.URL
	if u, err := url.Parse(e.URL); err == nil {
		name = u.Host
	}
	subject := shipments.UUID[shipments.Activity](e.ID)
	return s.repo.Note(ctx, org, shipments.Activity{At: s.instant(), By: by, Action: action, Subject: subject, Name: name})
}

// perform performs an action on an endpoint that is as expected, and notes it, unless it is "". An endpoint that is not
// is shipments.ErrVersion.
func (s *Service) perform(
	ctx context.Context, org shipments.OrgID, o Order, action shipments.Action,
	do func(context.Context, Endpoint) (Endpoint, error),
) error {
	return s.repo.Locked(ctx, org, EndpointsLock, func(ctx context.Context) error {
		read := s.repo.LockEndpoint
		if action == "" { // deliveries, which others lock before their endpoint
			read = s.repo.Endpoint
		}
		from, err := read(ctx, org, o.ID)
		if err == nil && o.Expects != nil && !o.Expects(from) {
			err = shipments.ErrVersion
		}
		if err != nil {
			return err
		}
		to, err := do(ctx, from)
		if err != nil || action == "" {
			return err
		}
		if to.URL != from.URL {
			action = Redirect
		}
		return s.note(ctx, org, o.By, action, to)
	})
}

// enabled does something with an endpoint that is as expected and must be Enabled.
func (s *Service) enabled(ctx context.Context, org shipments.OrgID, o Order, do func(context.Context) error) error {
	return s.perform(ctx, org, o, "", func(ctx context.Context, e Endpoint) (Endpoint, error) {
		if e.Status != Enabled {
			return e, ErrDisabled
		}
		return e, do(ctx)
	})
}

// instant returns the time with the precision of the API.
func (s *Service) instant() time.Time { return s.now().UTC().Truncate(time.Millisecond) }
