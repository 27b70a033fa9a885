package compose_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// upgraded is the stack that docker compose runs, with the images :dev of this checkout.
type upgraded struct{ url, token string }

// TestAFailingMigrationLeavesThePreviousVersionServing runs the commands of how-to/compose.md, first with a version
// whose migrations fail and then with one whose do not. It needs a Docker engine with the images of `make images`.
func TestAFailingMigrationLeavesThePreviousVersionServing(t *testing.T) {
	if os.Getenv("TEST_COMPOSE") == "" {
		t.Skip("TEST_COMPOSE is not set: make test-compose")
	}
	page, err := os.ReadFile(root + "/deploy/docs/how-to/compose.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)## Upgrade\n.*?```sh\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page has no commands for an upgrade")
	}
	upgrade := strings.Replace(string(block[1]), "v1.2.3", "next", 1)
	upgrade = regexp.MustCompile(`docker compose build.*\n`).ReplaceAllString(upgrade, "")

	t.Cleanup(func() { _, _ = shell(t, "docker compose down --volumes --timeout 5") })
	must := func(commands string) {
		if out, err := shell(t, commands); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	must("docker compose up --no-build --detach")
	u := upgraded{url: "http://127.0.0.1:18080/api/v1/shipments"}
	u.token = eventually(t, "a token", func() (string, bool) {
		out, err := shell(t, `organization=$(docker compose exec -T tokens-svc /tokens-svc org create --name Upgrade)
			docker compose exec -T tokens-svc /tokens-svc token create --organization "$organization" --name upgrade `+
			`--permissions shipments:read`)
		return strings.TrimSpace(out), err == nil
	})
	u.serves(t)
	const running = `docker inspect --format '{{.Id}} {{.State.StartedAt}}' \
		$(docker compose ps -q gateway tokens-svc shipments-svc)`
	before, _ := shell(t, running)

	for _, program := range []string{"gateway", "tokens-svc"} {
		must("docker tag ghcr.io/quayside/" + program + ":dev ghcr.io/quayside/" + program + ":next")
	}
	must(`printf 'FROM ghcr.io/quayside/shipments-svc:dev\nENTRYPOINT ["/shipments-svc", "broken"]\n' |
		docker build --quiet --tag ghcr.io/quayside/shipments-svc:next -`)
	if out, err := shell(t, upgrade); err == nil {
		t.Fatalf("the upgrade succeeded:\n%s", out)
	}
	if after, _ := shell(t, running); after != before || before == "" {
		t.Errorf("after a failed migration run\n%s\nbefore\n%s", after, before)
	}
	u.serves(t)

	must("docker tag ghcr.io/quayside/shipments-svc:dev ghcr.io/quayside/shipments-svc:next")
	must(upgrade)
	if after, _ := shell(t, running); after == before {
		t.Error("the upgrade replaced nothing")
	}
	u.serves(t)
}

// serves waits until a request through gateway, tokens-svc, shipments-svc, Postgres and Redis succeeds.
func (u upgraded) serves(t *testing.T) {
	t.Helper()
	eventually(t, "a request", func() (string, bool) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+u.token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err.Error(), false
		}
		_ = res.Body.Close()
		return res.Status, res.StatusCode == http.StatusOK
	})
}

func eventually(t *testing.T, what string, try func() (string, bool)) string {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Second) {
		seen, ok := try()
		if ok {
			return seen
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s", what, seen)
		}
	}
}

// shell runs commands in the repository and returns what they print, errors only if they fail. The project has a name
// and a port of its own.
func shell(t *testing.T, commands string) (string, error) {
	t.Helper()
	if exec.CommandContext(t.Context(), "docker", "compose", "version").Run() != nil {
		commands = strings.ReplaceAll(commands, "docker compose", "docker-compose")
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-uc", commands)
	var failure bytes.Buffer
	cmd.Dir, cmd.Stderr = root, &failure
	cmd.Env = append(os.Environ(), "COMPOSE_PROJECT_NAME=quayside-upgrade", "QUAYSIDE_PORT=18080",
		"QUAYSIDE_PULL_POLICY=if_not_present") // not built from this checkout again
	out, err := cmd.Output()
	if err != nil {
		return failure.String(), err
	}
	return string(out), nil
}
