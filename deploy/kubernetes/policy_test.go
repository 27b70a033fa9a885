package kubernetes

import (
	"strings"
	"testing"

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

func TestSecretsAreFilesThatEveryProgramHasOnlyItsOwnOf(t *testing.T) {
	each(t, func(t *testing.T, m manifests) {
		for _, w := range m.workloads() {
			for _, c := range w.containers() {
				for _, e := range c.Env {
					if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil ||
						strings.Contains(e.Name, "PASSWORD") && !strings.HasSuffix(e.Name, "_FILE") {
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
				if v.Secret != nil && (*v.Secret.DefaultMode != 0o440 || w.pod.SecurityContext.FSGroup == nil ||
					unhashed(v.Secret.SecretName) != w.name) {
					t.Errorf("%s %s mounts %s with mode %o", w.kind, w.name, v.Secret.SecretName, *v.Secret.DefaultMode)
				}
			}
		}
	})
}

// unhashed is the name of a generated object without the hash of its content.
func unhashed(name string) string {
	if i := strings.LastIndexByte(name, '-'); i >= 0 && len(name)-i == len("-m4ghg87757") {
		return name[:i]
	}
	return name
}
