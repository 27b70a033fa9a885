package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/quayside/quayside/deploy/bench/kernel"
	"github.com/quayside/quayside/deploy/bench/packinglist"
	"github.com/quayside/quayside/deploy/test/devstack"
)

// reading is how long it took from sending a packing list.
type reading struct {
	bytes    int             // of the file
	answered []time.Duration // until it was stored
	ready    []time.Duration // until the shipment was ready for review
}

// measureReadings uploads packing lists of each kind and waits until each is read.
func measureReadings(ctx context.Context, address string, org organization, n, rounds int) (map[string]reading, error) {
	a := newAPI(address, org.name)
	readings := map[string]reading{}
	for range rounds {
		for kind, write := range map[string]func([][]string) []byte{"xlsx": packinglist.XLSX, "csv": packinglist.CSV} {
			content := write(packinglist.Table(n))
			shipment, err := a.create(ctx)
			if err != nil {
				return nil, err
			}
			r := readings[kind]
			r.bytes = len(content)
			began := time.Now()
			document, err := a.attach(ctx, shipment, "list."+kind, content)
			if err != nil {
				return nil, err
			}
			r.answered = append(r.answered, time.Since(began))
			if err := a.read(ctx, document); err != nil {
				return nil, err
			}
			r.ready = append(r.ready, time.Since(began))
			readings[kind] = r
			if err := a.hasPallets(ctx, shipment, n); err != nil {
				return nil, err
			}
		}
	}
	return readings, nil
}

// hasPallets returns an error unless a shipment is ready for review with n pallets.
func (a api) hasPallets(ctx context.Context, shipment string, n int) error {
	var seen struct {
		Shipment struct {
			Status  string
			Pallets []struct {
				Number string `json:"pallet_number"`
			}
		}
	}
	if _, err := a.call(ctx, http.MethodGet, shipment, "", nil, &seen); err != nil {
		return err
	}
	if got := seen.Shipment; got.Status != "ready_for_review" || len(got.Pallets) != n {
		return fmt.Errorf("the shipment is %s with %d pallets, want ready_for_review with %d", got.Status, len(got.Pallets), n)
	}
	return nil
}

// detail is what getting one shipment took.
type detail struct {
	pallets int
	bytes   int
	took    []time.Duration
	peak    int64 // the most memory that the service ever held by then, in bytes
}

// measureDetails gets shipments of few and of many pallets.
func measureDetails(ctx context.Context, s *devstack.Program, org organization, pallets []int, rounds int) ([]detail, error) {
	a := newAPI(s.Address, org.name)
	details := make([]detail, len(pallets))
	for i, n := range pallets {
		shipment, err := a.create(ctx)
		if err != nil {
			return nil, err
		}
		document, err := a.attach(ctx, shipment, "list.csv", packinglist.CSV(packinglist.Table(n)))
		if err != nil {
			return nil, err
		}
		if err := a.read(ctx, document); err != nil {
			return nil, err
		}
		if err := a.hasPallets(ctx, shipment, n); err != nil {
			return nil, err
		}
		d := detail{pallets: n}
		for range rounds {
			began := time.Now()
			if d.bytes, err = a.call(ctx, http.MethodGet, shipment, "", nil, nil); err != nil {
				return nil, err
			}
			d.took = append(d.took, time.Since(began))
		}
		if d.peak, err = kernel.PeakMemory(s.PID()); err != nil {
			return nil, err
		}
		details[i] = d
	}
	return details, nil
}
