package shipments

import (
	"context"
	"time"
)

// Comment is what a person wrote about a shipment to others. It changes nothing of the shipment, and is allowed in each
// status.
type Comment struct {
	At   time.Time `json:"at"`
	By   Actor     `json:"by"`
	Text string    `json:"text"`
}

// Bounds of comments.
const (
	MaxComments = 200   // of a shipment
	MaxComment  = 1_000 // code points
)

// Comment adds a comment to a shipment.
func (s *Service) Comment(ctx context.Context, org OrgID, o Order, text string) error {
	var f faults
	if f.text("", "comment", text, MaxComment); f == nil {
		c := Comment{At: instant(s.now()), By: o.By, Text: text}
		added, err := s.repo.AddComment(ctx, org, o.ID, s.newID(), c)
		if added || err != nil {
			return err
		}
		f.add(OutOfRange, "/comment", "a shipment has at most %d comments", MaxComments)
	}
	return &Invalid{Faults: f}
}
