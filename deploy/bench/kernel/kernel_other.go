//go:build !linux

package kernel

import (
	"errors"
	"time"
)

// CPUTime is known on Linux only.
func CPUTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

// Ticks exist on Linux only.
type Ticks struct{}

// NewTicks fails.
func NewTicks(time.Duration) (*Ticks, error) { return nil, errors.ErrUnsupported }

// Wait fails.
func (*Ticks) Wait() (int, error) { return 0, errors.ErrUnsupported }

// Stop does nothing.
func (*Ticks) Stop() {}
