package main

import (
	"context"
	"fmt"
	"time"
)

// statuses are the filters of lists; "" is all.
var statuses = []string{"", "pending", "processing", "ready_for_review", "approved", "rejected"}

const perPage = 25

// place is a page of a list.
type place string

const (
	first  place = "first"
	middle place = "middle"
	last   place = "last"
)

// number is the page's.
func (p place) number(total int) int {
	pages := max(1, (total+perPage-1)/perPage)
	return map[place]int{first: 1, middle: (pages + 1) / 2, last: pages}[p]
}

// rows is how many shipments the page has.
func (p place) rows(total int) int {
	return min(perPage, total-(p.number(total)-1)*perPage)
}

// listing is a list that is measured.
type listing struct {
	status string
	place  place
}

// pair is how long the same took with the large organization and with the
// small one, by turns.
type pair struct{ large, small []time.Duration }

// ratio is what the large organization costs beside the small one.
func (p pair) ratio() float64 {
	return float64(quantile(p.large, 0.5)) / float64(quantile(p.small, 0.5))
}

// warmup is how many rounds are not counted.
const warmup = 5

// measureLists requests every list of both organizations once a round, in the
// opposite order every other round. An answer that is not as it must be is an
// error.
func measureLists(ctx context.Context, address string, large, other organization, rounds int) (map[listing]pair, error) {
	pairs := map[listing]pair{}
	apis := map[string]api{large.name: newAPI(address, large.name), other.name: newAPI(address, other.name)}
	for round := range warmup + rounds {
		both := []organization{large, other}
		if round%2 == 1 {
			both[0], both[1] = both[1], both[0]
		}
		for _, status := range statuses {
			for _, at := range []place{first, middle, last} {
				key := listing{status, at}
				p := pairs[key]
				for _, org := range both {
					took, err := measureList(ctx, apis[org.name], key, org.total[status])
					if err != nil {
						return nil, err
					}
					switch {
					case round < warmup:
					case org.name == large.name:
						p.large = append(p.large, took)
					default:
						p.small = append(p.small, took)
					}
				}
				pairs[key] = p
			}
		}
	}
	return pairs, nil
}

func measureList(ctx context.Context, a api, l listing, total int) (time.Duration, error) {
	began := time.Now()
	p, err := a.list(ctx, l.status, l.place.number(total))
	took := time.Since(began)
	if err == nil && (p.Meta.Total != total || len(p.Shipments) != l.place.rows(total)) {
		err = fmt.Errorf("%s page of %q: %d shipments of %d, want %d of %d",
			l.place, l.status, len(p.Shipments), p.Meta.Total, l.place.rows(total), total)
	}
	return took, err
}
