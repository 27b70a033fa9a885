package introspect

import "time"

// State is what a debug listener shows of an Introspector.
type State struct {
	// ActiveResults and InactiveResults are the numbers of cached results.
	ActiveResults   int `json:"active_results"`
	InactiveResults int `json:"inactive_results"`
	// StreamFresh reports whether the change stream's last heartbeat is at most [HeartbeatTimeout] old.
	StreamFresh bool `json:"stream_fresh"`
	// LastHeartbeat is zero if there was none.
	LastHeartbeat time.Time `json:"last_heartbeat,omitzero"`
	// Reached reports whether any introspection had a usable response.
	Reached bool `json:"reached"`
}

// State returns the present state of i.
func (i *Introspector) State() State {
	last := i.LastHeartbeat()
	return State{
		ActiveResults: i.cache.positive.EstimatedSize(), InactiveResults: i.cache.negative.EstimatedSize(),
		StreamFresh: !last.IsZero() && i.now().Sub(last) <= HeartbeatTimeout, LastHeartbeat: last, Reached: i.Reached(),
	}
}
