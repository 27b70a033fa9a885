package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cluster is the trial in a cluster, with a token of an organization that has shipments.
type cluster struct {
	kubeconfig string
	trial      manifests
	url        string
	token      string
}

// patience is how long the cluster may take for anything: pulling an image is the longest.
const patience = 5 * time.Minute

// TestClusterKeepsThePromises installs the trial. The parts run in this order, each from two replicas of everything.
func TestClusterKeepsThePromises(t *testing.T) {
	kubeconfig := os.Getenv("TEST_KUBECONFIG")
	if kubeconfig == "" {
		t.Skip("TEST_KUBECONFIG is not set: make test-kubernetes")
	}
	c := install(t, kubeconfig)
	t.Run("the README's request is answered", c.answersTheRequestOfTheREADME)
	t.Run("documents are read in a restricted container", c.readsDocuments)
	for _, program := range programs {
		t.Run(program+" is updated without a failed request", func(t *testing.T) { c.updates(t, program) })
		t.Run(program+" is scaled from 1 to 3 to 1 without a failed request", func(t *testing.T) { c.scales(t, program) })
		t.Run(program+" loses only requests in flight when a pod is killed", func(t *testing.T) { c.losesAPod(t, program) })
		t.Run(program+" refuses a wrong secret and says why, while old pods serve",
			func(t *testing.T) { c.refusesSecrets(t, program) })
	}
}

func install(t *testing.T, kubeconfig string) *cluster {
	c := &cluster{kubeconfig: kubeconfig, trial: build(t, "trial")}
	if c.kubectl(t, "get", "namespace", "quayside", "--ignore-not-found") != "" {
		t.Fatal("the namespace quayside exists: kubectl delete namespace quayside")
	}
	t.Cleanup(func() { c.kubectl(t, "delete", "namespace", "quayside", "--timeout=5m") })
	c.kubectl(t, "apply", "-f", "base/namespace.yaml")
	if out := c.kubectl(t, "apply", "-k", "production", "--dry-run=server"); strings.Contains(out, "Warning") {
		t.Errorf("the API server warns of the production overlay: %s", out)
	}
	start := time.Now()
	c.kubectl(t, "apply", "-k", "trial")
	c.kubectl(t, "scale", "deployment", "gateway", "shipments-svc", "tokens-svc", "--replicas=2")
	for _, program := range programs {
		c.rolledOut(t, program)
	}
	t.Logf("ready %.0f s after kubectl apply", time.Since(start).Seconds())

	port := c.kubectl(t, "get", "service", "gateway", "-o", "jsonpath={.spec.ports[0].nodePort}")
	node := os.Getenv("TEST_NODE")
	if node == "" {
		node = "127.0.0.1"
	}
	c.url = "http://" + net.JoinHostPort(node, port)
	organization := strings.TrimSpace(c.exec(t, "tokens-svc", "", "org", "create", "--name", "Cape Fresh Exports"))
	shipments, err := os.ReadFile(filepath.Join(root, "deploy/test/devstack/demo/cape_fresh.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.exec(t, "shipments-svc", string(shipments), "seed", "--organization", organization)
	c.token = strings.TrimSpace(c.exec(t, "tokens-svc", "", "token", "create", "--organization", organization, "--name",
		"test",
		"--permissions", "admin", "--limit", "1000000"))
	return c
}

// kubectl runs a command in the namespace and returns what it writes to both outputs.
func (c *cluster) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.command(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *cluster) command(t *testing.T, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*patience)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, "kubectl",
		append([]string{"--kubeconfig", c.kubeconfig, "--namespace", "quayside"}, args...)...)
}

// exec runs a program's command in one of its pods and returns its standard output.
func (c *cluster) exec(t *testing.T, program, stdin string, args ...string) string {
	t.Helper()
	command := c.command(t, append([]string{"exec", "-i", "deployment/" + program, "--", "/" + program}, args...)...)
	command.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func (c *cluster) rolledOut(t *testing.T, program string) {
	t.Helper()
	c.kubectl(t, "rollout", "status", "deployment/"+program, "--timeout="+patience.String())
}

// scale sets the number of pods and waits until as many serve and no other exists.
func (c *cluster) scale(t *testing.T, program string, replicas int) {
	t.Helper()
	c.kubectl(t, "scale", "deployment", program, "--replicas="+strconv.Itoa(replicas))
	c.rolledOut(t, program)
	eventually(t, fmt.Sprintf("%d pods of %s", replicas, program),
		func() bool { return len(c.pods(t, program)) == replicas })
}

// pods are the names of a program's pods, also of those that end.
func (c *cluster) pods(t *testing.T, program string) []string {
	t.Helper()
	return strings.Fields(c.kubectl(t, "get", "pods", "-l", "app.kubernetes.io/name="+program, "-o",
		"jsonpath={.items[*].metadata.name}"))
}

// metric adds up the samples of a pod whose line begins with this prefix.
func (c *cluster) metric(t *testing.T, program, pod, prefix string) (sum float64) {
	t.Helper()
	port := c.trial.deployments[program].Spec.Template.Spec.Containers[0].Ports[1].ContainerPort
	text := c.kubectl(t, "get", "--raw", fmt.Sprintf("/api/v1/namespaces/quayside/pods/%s:%d/proxy/metrics", pod, port))
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:len(line)-1], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += value
		}
	}
	return sum
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// status is what the tests read of a pod.
type status struct {
	Status struct {
		ContainerStatuses []struct {
			State, LastState struct {
				Terminated struct{ Message string }
			}
		}
	}
}

// lastWords are the last log lines of a pod's program that ended with an error.
func (c *cluster) lastWords(t *testing.T, pod string) string {
	t.Helper()
	var s status
	if err := json.Unmarshal([]byte(c.kubectl(t, "get", "pod", pod, "-o", "json")), &s); err != nil {
		t.Fatal(err)
	}
	for _, container := range s.Status.ContainerStatuses {
		if message := container.State.Terminated.Message + container.LastState.Terminated.Message; message != "" {
			return message
		}
	}
	return ""
}
