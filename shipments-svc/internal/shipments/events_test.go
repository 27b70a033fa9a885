package shipments

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

func TestAnnouncements(t *testing.T) {
	t.Parallel()
	doc, queued, failed := &Document{
		ID:     DocumentID{7},
		Status: Processed,
		Facts:  []list.Fact{{Text: "x"}},
	}, &Document{
		Status: Queued,
	}, &Document{
		Status: Failed,
	}
	for _, c := range []struct {
		action     Action
		before, to Status
		doc        *Document
		want       string
	}{
		{Create, "", Pending, nil, "shipment.created"},
		{Update, ReadyForReview, ReadyForReview, nil, "shipment.updated"},
		{Approve, ReadyForReview, Approved, nil, "shipment.approved"},
		{Reject, ReadyForReview, Rejected, nil, "shipment.rejected"},
		{Delete, Pending, gone, nil, "shipment.deleted"},
		{AttachDocument, Pending, ReadyForReview, doc, "document.attached document.processed " +
			"shipment.ready_for_review"},
		{AttachDocument, ReadyForReview, ReadyForReview, doc, "document.attached document.processed shipment.updated"},
		{DeleteDocument, ReadyForReview, Pending, nil, "shipment.updated"},
		{DeleteDocument, Rejected, Rejected, nil, "shipment.updated"},
		{ProcessDocument, Processing, ReadyForReview, doc, "document.processed shipment.ready_for_review"},
		{DeleteDocument, Pending, Processing, nil, "shipment.processing"},
		{AttachDocument, Pending, Processing, queued, "document.attached shipment.processing"},
		{AttachDocument, Processing, Processing, queued, "document.attached shipment.updated"},
		{ReprocessDocument, ReadyForReview, Processing, queued, "shipment.processing"},
		{FailDocument, Processing, Pending, failed, "document.failed shipment.updated"},
	} {
		e := Entry{Action: c.action, At: start}
		to := Shipment{ID: ID{1}, Status: c.to}
		var got []string
		for _, event := range Announce(func() EventID { return EventID{4} }, e, c.before, to, c.doc) {
			got = append(got, string(event.Type))
			if about := strings.HasPrefix(string(event.Type), "document."); about != (event.Document != nil) ||
				about && (event.Document.Status != c.doc.Status || event.Document.Facts != nil) ||
				event.ID != (EventID{4}) ||
				event.Shipment != to ||
				event.At != start {
				t.Errorf("%s: %+v", c.action, event)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s from %s to %s: %v, want %s", c.action, c.before, c.to, got, c.want)
		}
	}
}

func TestEventsGoOnAfterTheLastOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q     EventQuery
		there []int64
		feed  Feed
		want  string // after, limit, next
	}{
		{EventQuery{}, nil, Feed{1, 0, ""}, "0 25 0"},
		{EventQuery{}, []int64{1, 2}, Feed{1, 2, "a"}, "0 25 2"},
		{EventQuery{}, []int64{41, 42}, Feed{41, 42, "a"}, "0 25 42"}, // those before are no longer kept
		{EventQuery{After: 40, Limit: 7}, []int64{41}, Feed{41, 41, "a"}, "40 7 41"},
		{EventQuery{After: 42, Limit: 101}, nil, Feed{43, 42, "a"}, "42 100 42"},
		{EventQuery{After: 42, Epoch: "a"}, nil, Feed{43, 42, "a"}, "42 25 42"},
	} {
		k := &fakeRepository{feed: c.feed}
		for _, n := range c.there {
			k.events = append(k.events, Event{Number: n})
		}
		page, err := service(k).Events(t.Context(), OrgID{1}, c.q)
		if got := fmt.Sprint(page.After, page.Limit, page.Next); err != nil || got != c.want ||
			len(page.Events) != len(c.there) ||
			k.limit != page.Limit {
			t.Errorf("%+v: %s, want %s (%v)", c.q, got, c.want, err)
		}
	}
}

func TestGapInTheEventsIsReported(t *testing.T) {
	t.Parallel()
	k := &fakeRepository{feed: Feed{41, 41, "a"}, events: []Event{{Number: 41}}}
	_, err := service(k).Events(t.Context(), OrgID{1}, EventQuery{After: 39})
	if expired, ok := errors.AsType[*ExpiredError](err); !ok || expired.First != 41 ||
		!strings.Contains(err.Error(), "41") {
		t.Errorf("%v", err)
	}
}

// TestACursorOfAReplacedHistoryIsRefused: after a restore the numbers of lost events are given again.
func TestACursorOfAReplacedHistoryIsRefused(t *testing.T) {
	t.Parallel()
	for _, q := range []EventQuery{{After: 43}, {After: 43, Epoch: "a"}, {After: 40, Epoch: "b"}, {Epoch: "b"}} {
		_, err := service(&fakeRepository{feed: Feed{1, 42, "a"}}).Events(t.Context(), OrgID{1}, q)
		if reset, ok := errors.AsType[*ResetError](err); !ok || reset.Head != 42 {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
