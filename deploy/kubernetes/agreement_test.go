package kubernetes

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// compose is docker-compose.yml.
type compose struct {
	Services map[string]struct {
		Image       string
		Ports       []string
		Environment map[string]string
		Secrets     []string
		Command     any
	}
}

func readCompose(t *testing.T) (c compose) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, "docker-compose.yml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// settings are the variables of a program from its ConfigMap.
func settings(t *testing.T, m manifests, program string) map[string]string {
	t.Helper()
	for name, c := range m.configMaps {
		if unhashed(name) == program {
			return c.Data
		}
	}
	t.Fatalf("%s has no ConfigMap", program)
	return nil
}

func TestImagesAndSecretsOfTheTrialAreThoseOfCompose(t *testing.T) {
	t.Parallel()
	m, c := build(t, "trial"), readCompose(t)
	for _, w := range m.workloads() {
		service, ok := c.Services[w.name]
		if !ok {
			t.Errorf("docker-compose.yml has no %s", w.name)
		}
		if got := w.pod.Containers[0].Image; got != service.Image {
			t.Errorf("%s runs %s, in docker compose %s", w.name, got, service.Image)
		}
		var files []string
		for name, s := range m.secrets {
			if unhashed(name) == w.name {
				files = slices.Sorted(maps.Keys(s.Data))
			}
		}
		files = slices.DeleteFunc(files, func(name string) bool { return name == "redis_url" })                              // compose has it in the environment
		service.Secrets = slices.DeleteFunc(service.Secrets, func(name string) bool { return name == "oidc_client_secret" }) // empty there
		slices.Sort(service.Secrets)
		if !slices.Equal(files, service.Secrets) {
			t.Errorf("%s has the secrets %q, in docker compose %q", w.name, files, service.Secrets)
		}
	}
}

func TestPortsAreThoseOfTheImagesAndOfCompose(t *testing.T) {
	t.Parallel()
	m, c := build(t, "trial"), readCompose(t)
	for _, name := range programs {
		exposed := regexp.MustCompile(`(?m)^EXPOSE (.*)$`).FindStringSubmatch(read(t, name+"/Dockerfile"))
		var ports []string
		byName := map[string]string{}
		for _, p := range m.deployments[name].Spec.Template.Spec.Containers[0].Ports {
			ports = append(ports, fmt.Sprint(p.ContainerPort))
			byName[p.Name] = fmt.Sprint(p.ContainerPort)
		}
		if exposed == nil || exposed[1] != strings.Join(ports, " ") {
			t.Errorf("%s has the ports %q, its image %q", name, ports, exposed)
		}
		for _, p := range m.services[name].Spec.Ports {
			if fmt.Sprint(p.Port) != byName[p.TargetPort.String()] {
				t.Errorf("the Service %s has port %d for %s", name, p.Port, p.TargetPort.String())
			}
		}
	}
	if published := c.Services["gateway"].Ports[0]; !strings.HasSuffix(published, ":8080") || m.services["gateway"].Spec.Ports[0].Port != 8080 {
		t.Errorf("docker compose publishes %s", published)
	}
}

// Headless, because the gateway's health checks and load balancing need the addresses of the pods.
func TestTheGatewaySeesThePodsOfTheServices(t *testing.T) {
	each(t, func(t *testing.T, m manifests) {
		for _, name := range programs {
			if got, want := m.services[name].Spec.ClusterIP == "None", name != "gateway"; got != want {
				t.Errorf("the Service %s is headless: %v, want %v", name, got, want)
			}
		}
	})
}

func TestSettingsExistAndAgreeWithCompose(t *testing.T) {
	c := readCompose(t)
	each(t, func(t *testing.T, m manifests) {
		for _, name := range programs {
			documented := read(t, name+"/README.md") + read(t, "deploy/examples/coldchain/coldchain.caddy")
			for variable, value := range settings(t, m, name) {
				if !strings.Contains(documented, variable) {
					t.Errorf("neither %s/README.md nor the routes of coldchain have %s", name, variable)
				}
				if inCompose, ok := c.Services[name].Environment[variable]; ok && !strings.HasPrefix(inCompose, "${") && inCompose != value {
					t.Errorf("%s: %s is %q, in docker compose %q", name, variable, value, inCompose)
				}
			}
			if demo := settings(t, m, name)["QUAYSIDE_DEMO"] != ""; demo != (len(m.secrets) > 0) {
				t.Errorf("%s: development mode is %v", name, demo)
			}
		}
	})
}
