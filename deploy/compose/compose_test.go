// Package compose_test checks docker-compose.yml and the files beside it
// without a Docker engine.
package compose_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

type service struct {
	Image    string
	Build    any
	Ports    []string
	Networks []string
	Secrets  []string
	MemLimit string `yaml:"mem_limit"`
	Pids     int    `yaml:"pids_limit"`
	CPUs     string
	Logging  struct{ Options map[string]string }
	ReadOnly bool     `yaml:"read_only"`
	CapDrop  []string `yaml:"cap_drop"`
	Restart  string

	Healthcheck struct{ Test any }
	Environment map[string]string
}

type project struct {
	Services map[string]service
	Networks map[string]struct{ Internal bool }
	Secrets  map[string]struct{ File string }
}

func read(t *testing.T, path string) (p project) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return p
}

// containers are the services of docker-compose.yml, and those that other files add.
func containers(t *testing.T) map[string]service {
	t.Helper()
	all := read(t, "docker-compose.yml").Services
	for _, name := range []string{"pgbouncer", "backup"} {
		all[name] = read(t, "deploy/compose/"+name+".yml").Services[name]
	}
	return all
}

func TestOnlyTheGatewayIsPublished(t *testing.T) {
	t.Parallel()
	for name, s := range read(t, "docker-compose.yml").Services {
		if len(s.Ports) > 0 && name != "gateway" && !slices.Contains([]string{"prometheus", "grafana"}, name) {
			t.Errorf("%s publishes %q", name, s.Ports)
		}
	}
}

func TestNetworksSeparateWhatNeedNotMeet(t *testing.T) {
	t.Parallel()
	services := read(t, "docker-compose.yml").Services
	for _, pair := range [][2]string{
		{"gateway", "postgres"},
		{"shipments-svc", "redis"},
		{"tokens-svc", "redis"},
		{"shipments-svc", "tokens-svc"},
		{"postgres", "redis"},
	} {
		for _, network := range services[pair[0]].Networks {
			if slices.Contains(services[pair[1]].Networks, network) {
				t.Errorf("%s and %s share the network %s", pair[0], pair[1], network)
			}
		}
	}
	for name, s := range services {
		if len(s.Networks) == 0 {
			t.Errorf("%s is in the default network, with everything", name)
		}
	}
}

func TestEveryContainerIsLimitedAndRotatesItsLog(t *testing.T) {
	t.Parallel()
	for name, s := range containers(t) {
		if s.MemLimit == "" || s.Pids == 0 {
			t.Errorf("%s: mem_limit %q, pids_limit %d", name, s.MemLimit, s.Pids)
		}
		if s.Restart != "" && s.CPUs == "" {
			t.Errorf("%s runs on and has no limit of processors", name)
		}
		if s.Logging.Options["max-size"] == "" || s.Logging.Options["max-file"] == "" {
			t.Errorf("%s: its log grows without bounds: %v", name, s.Logging.Options)
		}
		if s.Build != nil && (!s.ReadOnly || !slices.Contains(s.CapDrop, "ALL")) {
			t.Errorf("%s: read_only %v, cap_drop %q", name, s.ReadOnly, s.CapDrop)
		}
	}
}

func TestEveryContainerThatRunsOnHasAHealthCheck(t *testing.T) {
	t.Parallel()
	for name, s := range containers(t) {
		if s.Restart == "" {
			continue
		}
		if s.Build == nil {
			if s.Healthcheck.Test == nil {
				t.Errorf("%s has none", name)
			}
			continue
		}
		dockerfile, err := os.ReadFile(filepath.Join(root, name, "Dockerfile"))
		if err != nil || !strings.Contains(string(dockerfile), `CMD ["/`+name+`", "health"]`) {
			t.Errorf("%s: %v: its image has none", name, err)
		}
	}
}

func TestImagesArePinnedToAPatchRelease(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`:v?\d+\.\d+(\.\d+)?(-|@|$)`)
	for name, s := range containers(t) {
		if s.Build == nil && !pinned.MatchString(s.Image) {
			t.Errorf("%s uses %s", name, s.Image)
		}
	}
}

// The images that releases are built from and on have no patch version: each build takes the latest fixes of Go and of
// Debian.
func TestBaseImagesHaveAVersion(t *testing.T) {
	t.Parallel()
	from := regexp.MustCompile(`(?m)^FROM (?:--\S+ )?(\S+)(?: AS (\S+))?$`)
	versioned := regexp.MustCompile(`^(golang:\d+\.\d+-\w+|gcr\.io/distroless/static-debian\d+:nonroot|postgres:\d+\.\d+)$`)
	for _, directory := range []string{"gateway", "shipments-svc", "tokens-svc", "deploy/backup", "deploy/examples/coldchain"} {
		text, err := os.ReadFile(filepath.Join(root, directory, "Dockerfile"))
		if err != nil {
			t.Fatal(err)
		}
		var stages []string
		for _, match := range from.FindAllStringSubmatch(string(text), -1) {
			if image := match[1]; !slices.Contains(stages, image) && !versioned.MatchString(image) {
				t.Errorf("%s is built from %s", directory, image)
			}
			stages = append(stages, match[2])
		}
		if len(stages) != strings.Count("\n"+string(text), "\nFROM ") {
			t.Errorf("%s: of its stages %q were found", directory, stages)
		}
	}
}

func TestSecretsAreFilesThatEveryProgramHasOnlyItsOwnOf(t *testing.T) {
	t.Parallel()
	p := read(t, "docker-compose.yml")
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"BEGIN ", "demo-", "PASSWORD:"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("docker-compose.yml contains %q", secret)
		}
	}
	for secret, users := range map[string][]string{
		"gateway_signing_key":    {"gateway"},
		"postgres_password":      {"logins", "postgres"},
		"tokens_database_url":    {"tokens-svc"},
		"tokens_migrate_url":     {"tokens-migrate"},
		"shipments_database_url": {"shipments-svc"},
		"shipments_migrate_url":  {"shipments-migrate"},
		"webhook_keys":           {"shipments-svc"},
		"token_peppers":          {"tokens-svc"},
		"oidc_client_secret":     {"tokens-svc"},
	} {
		var have []string
		for name, s := range p.Services {
			if slices.Contains(s.Secrets, secret) {
				have = append(have, name)
			}
		}
		slices.Sort(have)
		if !slices.Equal(have, users) {
			t.Errorf("%s is mounted into %q, want %q", secret, have, users)
		}
	}
}

func TestDemoAndNewSecretsAreThoseThatComposeMounts(t *testing.T) {
	t.Parallel()
	fresh := filepath.Join(t.TempDir(), "secrets")
	if out, err := exec.CommandContext(t.Context(), "./secrets.sh", fresh).CombinedOutput(); err != nil {
		t.Fatalf("secrets.sh: %v: %s", err, out)
	}
	if exec.CommandContext(t.Context(), "./secrets.sh", fresh).Run() == nil {
		t.Error("secrets.sh overwrites secrets")
	}
	var want []string
	for name, secret := range read(t, "docker-compose.yml").Secrets {
		if strings.HasPrefix(secret.File, "${QUAYSIDE_SECRETS:-") {
			want = append(want, name)
		}
	}
	want = slices.AppendSeq(want, maps.Keys(read(t, "deploy/compose/pgbouncer.yml").Secrets))
	slices.Sort(want)
	for _, dir := range []string{"demo", fresh} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, e := range entries {
			have = append(have, e.Name())
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s has %q, want %q", dir, have, want)
		}
	}
}

func TestSecretsThatWereNotAllWrittenLeaveNoFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	failing := "#!/bin/sh\n[ $1 != genpkey ] && exec " + tool(t, "openssl") + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "openssl"), []byte(failing), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "./secrets.sh", filepath.Join(dir, "secrets"))
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if left, _ := filepath.Glob(filepath.Join(dir, "secrets*")); err == nil || len(left) > 0 {
		t.Errorf("%v, left %q: %s", err, left, out)
	}
}

func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProductionHasNoDefaultForAnySecret(t *testing.T) {
	t.Parallel()
	base, production := read(t, "docker-compose.yml"), read(t, "deploy/compose/production.yml")
	for name, secret := range base.Secrets {
		want := "${QUAYSIDE_SECRETS:-./deploy/compose/demo}/" + name
		if name == "oidc_client_secret" { // empty without OpenID Connect
			want = "${OIDC_CLIENT_SECRET_FILE:-/dev/null}"
		}
		if secret.File != want {
			t.Errorf("%s is %q, not %s", name, secret.File, want)
		}
	}
	if len(production.Secrets) == 0 {
		t.Error("production.yml starts without QUAYSIDE_SECRETS")
	}
	for name, secret := range production.Secrets {
		if want := "${QUAYSIDE_SECRETS:?"; !strings.HasPrefix(secret.File, want) {
			t.Errorf("%s: %q does not begin with %s", name, secret.File, want)
		}
	}
	for name, s := range base.Services {
		if s.Build == nil {
			continue
		}
		if value := production.Services[name].Environment["QUAYSIDE_DEMO"]; value != "false" {
			t.Errorf("%s has QUAYSIDE_DEMO=%s in production", name, value)
		}
	}
}
