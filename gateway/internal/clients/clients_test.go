package clients_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/clients"
	"github.com/quayside/quayside/gateway/servicekit/limit"
)

func TestOneNetworkUsesItsShareAndOneSiteTwiceThat(t *testing.T) {
	t.Parallel()

	s := clients.NewShares(8, 2, 0)
	for _, step := range []struct {
		address string
		want    error
	}{
		{"192.0.2.1", nil},
		{"::ffff:192.0.2.1", nil},
		{"192.0.2.1", limit.ErrShare},
		{"192.0.2.2", nil},
		{"2001:db8:1:1::1", nil},
		{"2001:db8:1:1::2%eth0", nil},
		{"2001:db8:1:1::3", limit.ErrShare}, // the /64
		{"2001:db8:1:2::1", nil},
		{"2001:db8:1:3::1", nil},
		{"2001:db8:1:4::1", limit.ErrShare}, // the /48
		{"2001:db8:2::1", nil},
		{"192.0.2.3", limit.ErrTotal},
	} {
		if _, err := s.Acquire(netip.MustParseAddr(step.address), nil); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.address, err, step.want)
		}
	}
}

func TestAReleaseGivesEverythingBackOnce(t *testing.T) {
	t.Parallel()

	s, address := clients.NewShares(2, 1, 0), netip.MustParseAddr("2001:db8::1")
	for range 3 {
		release, err := s.Acquire(address, nil)
		if err != nil {
			t.Fatal(err)
		}
		release()
		release()
	}
	for range 2 {
		if _, err := s.AcquireForMany(); err != nil {
			t.Error(err)
		}
	}
	for range 3 { // a refusal keeps nothing
		if _, err := s.Acquire(address, nil); !errors.Is(err, limit.ErrTotal) {
			t.Error(err)
		}
	}
}

func TestTheSiteThatUsesMostGivesWay(t *testing.T) {
	t.Parallel()

	s, busy := clients.NewShares(4, 4, time.Minute), netip.MustParseAddr("192.0.2.1")
	for range 4 {
		var release func()
		begun, err := make(chan bool), error(nil)
		if release, err = s.Acquire(busy, func() { <-begun; release() }); err != nil {
			t.Fatal(err)
		}
		close(begun)
	}
	for _, address := range []string{"192.0.2.2", "192.0.2.3"} {
		if _, err := s.Acquire(netip.MustParseAddr(address), nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
