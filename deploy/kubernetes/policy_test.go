package kubernetes

import (
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
		for _, namespace := range m.namespaces {
			if got := namespace.Labels[podsecurity.EnforceLevelLabel]; got != string(podsecurity.LevelRestricted) {
				t.Errorf("the namespace enforces %q", got)
			}
		}
	})
}
