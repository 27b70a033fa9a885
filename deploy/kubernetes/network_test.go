package kubernetes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// The policies are evaluated as the API documents them. That a network plugin enforces them is not tested.
func TestNetworkPoliciesAdmitOnlyWhatIsListed(t *testing.T) {
	t.Parallel()
	listed := map[[3]string]bool{
		{"prometheus", "gateway", "inner"}:            true,
		{"prometheus", "shipments-svc", "inner"}:      true,
		{"prometheus", "tokens-svc", "inner"}:         true,
		{"gateway", "shipments-svc", "http"}:          true,
		{"gateway", "tokens-svc", "http"}:             true,
		{"gateway", "tokens-svc", "gateways"}:         true,
		{"gateway", "redis", "redis"}:                 true,
		{"shipments-svc", "postgres", "postgres"}:     true,
		{"shipments-migrate", "postgres", "postgres"}: true,
		{"tokens-svc", "postgres", "postgres"}:        true,
		{"tokens-migrate", "postgres", "postgres"}:    true,
		{"logins", "postgres", "postgres"}:            true,
		{"backup", "postgres", "postgres"}:            true,
	}
	m := build(t, "trial", "backup")
	pods := map[string]workload{"internet": {}, "prometheus": outside("prometheus")}
	for _, w := range m.workloads() {
		pods[w.name] = w
	}
	for from, source := range pods {
		for to, target := range pods {
			for _, c := range target.pod.Containers {
				for _, port := range c.Ports {
					want := listed[[3]string{from, to, port.Name}]
					public := to == "gateway" && port.Name == "http"
					if got := admits(t, m, target, source, port, networkingv1.PolicyTypeIngress); got != (want || public) {
						t.Errorf("%s of %s admits %s: %v", port.Name, to, from, got)
					}
					if source.kind == "" { // not in the namespace: its own policies are not ours
						continue
					}
					if got := admits(t, m, source, target, port, networkingv1.PolicyTypeEgress); got != want {
						t.Errorf("%s may connect to %s of %s: %v, want %v", from, port.Name, to, got, want)
					}
				}
			}
		}
	}
}

// admits reports whether a policy of pod admits a connection with peer in this direction.
func admits(
	t *testing.T, m manifests, pod, peer workload, port corev1.ContainerPort, direction networkingv1.PolicyType,
) bool {
	t.Helper()
	for _, p := range m.policies {
		if !selects(t, &p.Spec.PodSelector, pod) {
			continue
		}
		if direction == networkingv1.PolicyTypeIngress {
			for _, r := range p.Spec.Ingress {
				if admitsPeer(t, r.From, peer) && admitsPort(r.Ports, port) {
					return true
				}
			}
			continue
		}
		for _, r := range p.Spec.Egress {
			if admitsPeer(t, r.To, peer) && admitsPort(r.Ports, port) {
				return true
			}
		}
	}
	return false
}

// admitsPeer ignores blocks of addresses: those of this package exclude the private ones that pods have.
func admitsPeer(t *testing.T, peers []networkingv1.NetworkPolicyPeer, pod workload) bool {
	t.Helper()
	for _, p := range peers {
		inNamespace := p.NamespaceSelector != nil || pod.kind != ""
		if p.IPBlock == nil && inNamespace && selects(t, p.PodSelector, pod) {
			return true
		}
	}
	return len(peers) == 0
}

func admitsPort(ports []networkingv1.NetworkPolicyPort, port corev1.ContainerPort) bool {
	for _, p := range ports {
		if p.Port.String() == port.Name || p.Port.IntValue() == int(port.ContainerPort) {
			return true
		}
	}
	return len(ports) == 0
}

func selects(t *testing.T, s *metav1.LabelSelector, pod workload) bool {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	return selector.Matches(labelsOf(pod.meta))
}

func labelsOf(meta metav1.ObjectMeta) labels.Set { return labels.Set(meta.Labels) }

// outside is a pod of another namespace.
func outside(name string) workload {
	return workload{meta: metav1.ObjectMeta{Labels: map[string]string{"app.kubernetes.io/name": name}}}
}
