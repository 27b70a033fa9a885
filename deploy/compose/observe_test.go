package compose_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestObserveIsAProfileOnLoopback: nothing of it runs or is mounted without being
// asked for, and other machines reach neither metrics nor dashboards.
func TestObserveIsAProfileOnLoopback(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Services map[string]struct{ Profiles, Ports, Volumes []string }
	}
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"prometheus", "grafana"} {
		s := p.Services[name]
		if !slices.Equal(s.Profiles, []string{"observe"}) || len(s.Ports) != 1 || !strings.HasPrefix(s.Ports[0], "127.0.0.1:") {
			t.Errorf("%s: profiles %q, ports %q", name, s.Profiles, s.Ports)
		}
		for _, volume := range s.Volumes {
			path, _, _ := strings.Cut(volume, ":")
			if !strings.HasPrefix(path, "./") {
				continue // a volume of Docker
			}
			if _, err := os.Stat(filepath.Join(root, path)); err != nil || !strings.HasSuffix(volume, ":ro") {
				t.Errorf("%s mounts %s: %v", name, volume, err)
			}
		}
	}
}

// TestPrometheusFindsEachReplicaOnce: with two networks in common, the name server
// would return two addresses of each replica.
func TestPrometheusFindsEachReplicaOnce(t *testing.T) {
	t.Parallel()
	services := read(t, "docker-compose.yml").Services
	for _, program := range []string{"gateway", "shipments-svc", "tokens-svc"} {
		common := slices.DeleteFunc(slices.Clone(services["prometheus"].Networks), func(network string) bool {
			return !slices.Contains(services[program].Networks, network)
		})
		if len(common) != 1 {
			t.Errorf("prometheus and %s share the networks %q", program, common)
		}
	}
}
