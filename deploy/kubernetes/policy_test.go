package kubernetes

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// The evaluator is that of the API server's admission.
func TestEveryPodMeetsThePodSecurityStandardRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		t.Fatal(err)
	}
	restricted := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	each(t, func(t *testing.T, m manifests) {
		for _, w := range m.workloads() {
			for _, result := range evaluator.EvaluatePod(restricted, &w.meta, &w.pod) {
				if !result.Allowed {
					t.Errorf("%s %s: %s: %s", w.kind, w.name, result.ForbiddenReason, result.ForbiddenDetail)
				}
			}
		}
		if got := m.namespaces["quayside"].Labels[podsecurity.EnforceLevelLabel]; got != string(podsecurity.LevelRestricted) {
			t.Errorf("the namespace enforces %q", got)
		}
	})
}

func TestEveryContainerIsReadOnlyAndLimited(t *testing.T) {
	each(t, func(t *testing.T, m manifests) {
		for _, w := range m.workloads() {
			if w.pod.AutomountServiceAccountToken == nil || *w.pod.AutomountServiceAccountToken {
				t.Errorf("%s %s has a token of the Kubernetes API", w.kind, w.name)
			}
			if w.pod.EnableServiceLinks == nil || *w.pod.EnableServiceLinks {
				t.Errorf("%s %s has the variables of all Services in its environment", w.kind, w.name)
			}
			for _, c := range w.containers() {
				if c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
					t.Errorf("%s %s, %s: the root file system is writable", w.kind, w.name, c.Name)
				}
				r := c.Resources
				if r.Requests.Cpu().IsZero() || r.Requests.Memory().IsZero() || r.Limits.Memory().Cmp(*r.Requests.Memory()) < 0 {
					t.Errorf("%s %s, %s: requests %v, limits %v", w.kind, w.name, c.Name, r.Requests, r.Limits)
				}
				if c.TerminationMessagePolicy != corev1.TerminationMessageFallbackToLogsOnError {
					t.Errorf("%s %s, %s: its last log lines are not in the status of the pod", w.kind, w.name, c.Name)
				}
				if c.ImagePullPolicy != corev1.PullIfNotPresent {
					t.Errorf("%s %s, %s: images that were loaded into a node are not used", w.kind, w.name, c.Name)
				}
			}
		}
	})
}

func TestEveryProgramHasProbesOnItsInnerPort(t *testing.T) {
	each(t, func(t *testing.T, m manifests) {
		for _, name := range programs {
			c := m.deployments[name].Spec.Template.Spec.Containers[0]
			for path, probes := range map[string][]*corev1.Probe{"/livez": {c.StartupProbe, c.LivenessProbe}, "/readyz": {c.ReadinessProbe}} {
				for _, p := range probes {
					if p == nil || p.HTTPGet == nil || p.HTTPGet.Path != path || p.HTTPGet.Port.String() != "inner" || p.TimeoutSeconds < 3 {
						t.Errorf("%s: a probe of %s is %v; a readiness check may take 2 s", name, path, p)
					}
				}
			}
		}
	})
}

func TestUpdatesAndDisruptionsKeepEveryProgramAvailable(t *testing.T) {
	each(t, func(t *testing.T, m manifests) {
		for _, name := range programs {
			d := m.deployments[name]
			if update := d.Spec.Strategy.RollingUpdate; update == nil || update.MaxUnavailable.IntValue() != 0 || update.MaxSurge.IntValue() < 1 {
				t.Errorf("%s: an update stops pods before others are ready: %v", name, d.Spec.Strategy)
			}
			if d.Spec.Replicas != nil {
				t.Errorf("%s: applying the manifests undoes scaling", name)
			}
			selector, err := metav1.LabelSelectorAsSelector(m.budgets[name].Spec.Selector)
			if err != nil || selector.Empty() || !selector.Matches(labelsOf(d.Spec.Template.ObjectMeta)) || m.budgets[name].Spec.MaxUnavailable.IntValue() != 1 {
				t.Errorf("%s: its PodDisruptionBudget is %v", name, m.budgets[name].Spec)
			}
			var spread []string
			for _, s := range d.Spec.Template.Spec.TopologySpreadConstraints {
				spread = append(spread, s.TopologyKey)
			}
			if want := []string{corev1.LabelTopologyZone, corev1.LabelHostname}; !slices.Equal(spread, want) {
				t.Errorf("%s is spread by %q, want %q", name, spread, want)
			}
		}
	})
}

// The programs' own times: 2 s for clients to close connections within the 10 s for requests in flight of the services;
// the gateway has both in turn, and 4 s more for reports of usage.
func TestGracePeriodsAreLongerThanTheDrain(t *testing.T) {
	each(t, func(t *testing.T, m manifests) {
		for _, name := range programs {
			pod := m.deployments[name].Spec.Template.Spec
			var notice, drain time.Duration // until no new requests come; for the rest
			if name == "gateway" {
				var err error
				if notice, err = time.ParseDuration(settings(t, m, name)["GATEWAY_SHUTDOWN_DELAY"]); err != nil {
					t.Error(err)
				}
				drain = 16 * time.Second
			} else {
				notice = time.Duration(pod.Containers[0].Lifecycle.PreStop.Sleep.Seconds) * time.Second
				drain = 10 * time.Second
			}
			if dns := 6 * time.Second; notice < dns {
				t.Errorf("%s stops accepting requests after %s; DNS answers are used for %s", name, notice, dns)
			}
			if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; grace < notice+drain+5*time.Second {
				t.Errorf("%s is killed %s after SIGTERM, and drains for %s", name, grace, notice+drain)
			}
		}
	})
}

func TestSecretsAreFilesThatEveryProgramHasOnlyItsOwnOf(t *testing.T) {
	each(t, func(t *testing.T, m manifests) {
		for _, w := range m.workloads() {
			for _, c := range w.containers() {
				for _, e := range c.Env {
					if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil || strings.Contains(e.Name, "PASSWORD") && !strings.HasSuffix(e.Name, "_FILE") {
						t.Errorf("%s %s has a secret in its environment: %s", w.kind, w.name, e.Name)
					}
				}
				for _, e := range c.EnvFrom {
					if e.SecretRef != nil {
						t.Errorf("%s %s has a Secret in its environment", w.kind, w.name)
					}
				}
			}
			for _, v := range w.pod.Volumes {
				if v.Secret != nil && (*v.Secret.DefaultMode != 0o440 || w.pod.SecurityContext.FSGroup == nil || unhashed(v.Secret.SecretName) != w.name) {
					t.Errorf("%s %s mounts %s with mode %o", w.kind, w.name, v.Secret.SecretName, *v.Secret.DefaultMode)
				}
			}
		}
	})
}

func TestEveryProgramIsScaledInProduction(t *testing.T) {
	t.Parallel()
	m := build(t, "production")
	for _, name := range programs {
		s := m.scalers[name].Spec
		if target := s.ScaleTargetRef; target.Kind != "Deployment" || target.Name != name {
			t.Errorf("the autoscaler %s scales %v", name, target)
		}
		if s.MinReplicas == nil || *s.MinReplicas < 2 || s.MaxReplicas <= *s.MinReplicas {
			t.Errorf("%s: from %v to %d replicas", name, s.MinReplicas, s.MaxReplicas)
		}
	}
}

// unhashed is the name of a generated object without the hash of its content.
func unhashed(name string) string {
	if i := strings.LastIndexByte(name, '-'); i >= 0 && len(name)-i == len("-m4ghg87757") {
		return name[:i]
	}
	return name
}
