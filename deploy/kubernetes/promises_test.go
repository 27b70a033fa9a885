package kubernetes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func (c *cluster) answersTheRequestOfTheREADME(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	path := regexp.MustCompile(`\$QUAYSIDE_URL(/[^"]*)"`).FindStringSubmatch(readme)
	if path == nil {
		t.Fatal("README.md has no request")
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+path[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", path[1], response.Status)
	}
	_, answer, _ := strings.Cut(readme, "HTTP/1.1 200 OK\n")
	headers, body, _ := strings.Cut(answer, "\n\n")
	for line := range strings.Lines(headers) {
		if name, _, _ := strings.Cut(line, ":"); response.Header.Get(name) == "" {
			t.Errorf("the response has no %s", name)
		}
	}
	body, _, _ = strings.Cut(body, "```")
	var want, got struct {
		Shipments []map[string]any
		Meta      map[string]int
	}
	if err := json.Unmarshal([]byte(body), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(got.Shipments) != 1 || got.Meta["total"] != want.Meta["total"] ||
		got.Shipments[0]["reference"] != want.Shipments[0]["reference"] {
		t.Errorf("got %v, README.md has %v", got, want)
	}
}

// Reading takes a child process that drops privileges, a temporary directory and the volume of documents.
func (c *cluster) readsDocuments(t *testing.T) {
	status, text, err := c.request(t.Context(), http.DefaultClient, http.MethodPost, "/api/v1/shipments",
		"application/json",
		`{"shipment":{"reference":"K8S-DOC","vessel":"MSC Carmen","origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`)
	if err != nil || status != http.StatusCreated {
		t.Fatal(status, text, err)
	}
	type answer struct {
		Shipment struct {
			ID, Status string
			Pallets    int `json:"pallets_count"`
		}
	}
	var created answer
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(root, "deploy/examples/packing-list.csv"))
	if err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/shipments/" + created.Shipment.ID
	form := "--b\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\npacking_list\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"packing-list.csv\"\r\n" +
		"Content-Type: text/csv\r\n\r\n" + string(list) + "\r\n--b--\r\n"
	const mediaType = "multipart/form-data; boundary=b"
	status, text, err = c.request(t.Context(), http.DefaultClient, http.MethodPost, path+"/documents", mediaType, form)
	if err != nil || status != http.StatusCreated {
		t.Fatal(status, text, err)
	}
	var read answer
	eventually(t, "the packing list is read", func() bool {
		_, text, err := c.request(t.Context(), http.DefaultClient, http.MethodGet, path, "", "")
		return err == nil && json.Unmarshal([]byte(text), &read) == nil && read.Shipment.Status == "ready_for_review"
	})
	if read.Shipment.Pallets == 0 {
		t.Errorf("no pallets: %+v", read)
	}
}

func (c *cluster) updates(t *testing.T, program string) {
	before := c.pods(t, program)
	l := c.send(t)
	l.awaitRequests(t, 100)
	c.kubectl(t, "rollout", "restart", "deployment/"+program)
	c.rolledOut(t, program)
	eventually(t, "the pods from before are gone", func() bool {
		return !slices.ContainsFunc(c.pods(t, program), func(pod string) bool { return slices.Contains(before, pod) })
	})
	l.end(t, 0)
}

func (c *cluster) scales(t *testing.T, program string) {
	l := c.send(t)
	for _, replicas := range []int{1, 3, 1} {
		c.scale(t, program, replicas)
		c.followed(t, l, program, replicas)
	}
	c.scale(t, program, 2)
	l.end(t, 0)
}

// followed waits until every gateway has exactly this many healthy addresses of a service, and until every pod has
// requests of clients.
func (c *cluster) followed(t *testing.T, l *load, program string, replicas int) {
	t.Helper()
	port := map[string]string{"shipments-svc": "8081", "tokens-svc": "8082"}[program]
	series := map[string]string{
		"gateway":       "quayside_gateway_requests_total{",
		"shipments-svc": "quayside_shipments_request_seconds_count{",
		"tokens-svc":    "quayside_tokens_request_seconds_count{",
	}[program]
	for _, gateway := range c.pods(t, "gateway") {
		if program == "gateway" {
			break
		}
		prefix := fmt.Sprintf("quayside_gateway_upstream_addresses{service=\"%s:%s\",state=", program, port)
		eventually(t, fmt.Sprintf("%s has %d healthy addresses of %s and no other", gateway, replicas, program), func() bool {
			return c.metric(t, "gateway", gateway, prefix+`"healthy"}`) == float64(replicas) &&
				c.metric(t, "gateway", gateway, prefix) == float64(replicas)
		})
	}
	for _, pod := range c.pods(t, program) {
		before := c.metric(t, program, pod, series)
		l.awaitRequests(t, 50)
		eventually(t, pod+" has requests", func() bool { return c.metric(t, program, pod, series) >= before+5 })
	}
}

// A pod that is deleted by force ends within about a second, without draining.
func (c *cluster) losesAPod(t *testing.T, program string) {
	l := c.send(t)
	c.followed(t, l, program, 2)
	killed := c.pods(t, program)[0]
	c.kubectl(t, "delete", "pod", killed, "--grace-period=0", "--force")
	eventually(t, "another pod serves", func() bool {
		pods := c.pods(t, program)
		return len(pods) == 2 && !slices.Contains(pods, killed)
	})
	c.rolledOut(t, program)
	l.end(t, connections)
}

// refusesSecrets gives a program a Secret with a wrong value, and then one that does not exist.
func (c *cluster) refusesSecrets(t *testing.T, program string) {
	wrong := map[string][2]string{ // file: what the program says
		"gateway":       {"gateway_signing_key", "signing_key"},
		"shipments-svc": {"webhook_keys", "WEBHOOK_KEYS"},
		"tokens-svc":    {"token_peppers", "TOKEN_PEPPERS"},
	}[program]
	var original string
	for name, secret := range c.trial.secrets {
		if unhashed(name) == program {
			original = name
			args := []string{"create", "secret", "generic", program + "-wrong"}
			for file, content := range secret.Data {
				if file == wrong[0] {
					content = []byte("wrong")
				}
				args = append(args, fmt.Sprintf("--from-literal=%s=%s", file, content))
			}
			c.kubectl(t, args...)
		}
	}
	t.Cleanup(func() { c.mount(t, program, original) })
	l := c.send(t)
	c.mount(t, program, program+"-wrong")
	eventually(t, "the new pod says that "+wrong[1]+" is wrong", func() bool {
		return slices.ContainsFunc(c.pods(t, program), func(pod string) bool {
			return strings.Contains(c.lastWords(t, pod), wrong[1])
		})
	})
	c.mount(t, program, "missing")
	eventually(t, "an event that the Secret is missing", func() bool {
		events := c.kubectl(t, "get", "events", "--field-selector", "reason=FailedMount")
		return strings.Contains(events, `secret "missing" not found`)
	})
	c.kubectl(t, "delete", "events", "--field-selector", "reason=FailedMount")
	c.mount(t, program, original)
	c.rolledOut(t, program)
	l.end(t, 0)
}

// mount replaces the Secret of a program, which is its first volume.
func (c *cluster) mount(t *testing.T, program, secret string) {
	t.Helper()
	c.kubectl(t, "patch", "deployment", program, "--type=json",
		"--patch", fmt.Sprintf(
			`[{"op":"replace","path":"/spec/template/spec/volumes/0/secret/secretName","value":%q}]`, secret))
}
