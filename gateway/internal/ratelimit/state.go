package ratelimit

// State is what a debug listener shows of a Limiter.
type State struct {
	// CircuitBreaker is "closed" or "open".
	CircuitBreaker string `json:"circuit_breaker"`
	// Gateways is the number of gateways that the local fallback divides limits by.
	Gateways int `json:"gateways"`
	// Windows is the number of windows in memory, and Unsynced the requests of these that Redis has not counted yet.
	Windows  int `json:"windows"`
	Unsynced int `json:"unsynced_requests"`
	// Queued is the number of script calls that wait for the next flush.
	Queued int `json:"queued_script_calls"`
}

// State returns the present state of l.
func (l *Limiter) State() State {
	s := State{CircuitBreaker: "closed", Gateways: l.replicas.count(l.options.Replicas)}
	if l.breaker.isOpen() {
		s.CircuitBreaker = "open"
	}
	l.memory.each(func(_ string, known tally) {
		s.Windows++
		s.Unsynced += known.unsynced
	})
	l.batcher.mu.Lock()
	defer l.batcher.mu.Unlock()
	s.Queued = len(l.batcher.queue)
	return s
}
