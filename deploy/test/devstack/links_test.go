package devstack

import (
	"errors"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// A program resolves the name to both addresses, by the machine's resolver or by an
// /etc/hosts of its own.
func TestOneNameStandsForTwoReplicas(t *testing.T) {
	t.Parallel()
	r, err := findReplicas(t.Context(), t.TempDir(), 2)
	if errors.Is(err, ErrOneAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.addresses) != 2 || r.addresses[0] == r.addresses[1] {
		t.Fatalf("addresses %q", r.addresses)
	}
	cmd := exec.Command("cat", "/etc/hosts")
	if err := r.see(cmd); err != nil {
		t.Fatal(err)
	}
	seen, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range r.addresses {
		if r.hosts != "" && !strings.Contains(string(seen), address+" "+r.host+"\n") {
			t.Errorf("%s is not %s in:\n%s", r.host, address, seen)
		}
	}
}

func TestOneReplicaNeedsNothing(t *testing.T) {
	t.Parallel()
	r, err := findReplicas(t.Context(), t.TempDir(), 1)
	if err != nil || r.host != "127.0.0.1" || r.at(0, ":8081") != "127.0.0.1:8081" {
		t.Errorf("%+v (%v)", r, err)
	}
	cmd := exec.Command("cat")
	if err := r.see(cmd); err != nil || len(cmd.Args) != 1 {
		t.Errorf("became %q (%v)", cmd.Args, err)
	}
}

// Parts are configured
// with other addresses than those of the parts; otherwise with these.
func TestLinksWithAndWithoutProxy(t *testing.T) {
	t.Parallel()
	ports, err := choosePorts(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &Stack{ports: ports}
	if address, err := s.link(t.Context(), "gateway-redis", ports.redis); address != ports.redis || err != nil {
		t.Errorf("without a proxy: %s, %v", address, err)
	}
	var links []Link
	s.opts.Proxy = func(l Link) error {
		links = append(links, l)
		return nil
	}
	dsn, err := s.linkDSN(t.Context(), "tokens-postgres", "postgres://u:p@"+ports.postgres+"/tokens?sslmode=disable")
	if err != nil || len(links) != 1 {
		t.Fatalf("links %+v (%v)", links, err)
	}
	if l := links[0]; l.Server != ports.postgres || dsn != "postgres://u:p@"+l.Listen+"/tokens?sslmode=disable" {
		t.Errorf("%+v, but the DSN is %s", l, dsn)
	}
	if _, err := net.ResolveTCPAddr("tcp", links[0].Listen); err != nil || links[0].Listen == ports.postgres {
		t.Errorf("listens at %s (%v)", links[0].Listen, err)
	}
}
