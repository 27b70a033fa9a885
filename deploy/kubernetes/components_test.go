package kubernetes

import (
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTracesGoToTheCollectorOnly(t *testing.T) {
	t.Parallel()
	otlp := corev1.ContainerPort{Name: "otlp-http", ContainerPort: 4318}
	without, with := build(t, "production"), build(t, "production", "traces")
	for _, w := range with.workloads() {
		if admits(t, without, w, outside("opentelemetry-collector"), otlp, networkingv1.PolicyTypeEgress) {
			t.Errorf("without the component %s may send traces", w.name)
		}
		if got, want := admits(t, with, w, outside("opentelemetry-collector"), otlp, networkingv1.PolicyTypeEgress), slices.Contains(programs, w.name); got != want {
			t.Errorf("%s may send traces: %v, want %v", w.name, got, want)
		}
		if admits(t, with, w, outside("another"), otlp, networkingv1.PolicyTypeEgress) {
			t.Errorf("%s may send traces to any pod", w.name)
		}
	}
	for _, name := range programs {
		if settings(t, with, name)["OTEL_EXPORTER_OTLP_ENDPOINT"] == "" {
			t.Errorf("%s does not know the collector", name)
		}
	}
}

func TestTheGatewayAndTokensServiceHaveTheFilesOfAFurtherService(t *testing.T) {
	t.Parallel()
	m := build(t, "production", "services", "../examples/coldchain")
	for program, variable := range map[string]string{"gateway": "SERVICE_ROUTES", "tokens-svc": "SERVICE_PERMISSIONS"} {
		pod := m.deployments[program].Spec.Template.Spec
		volume, mount := pod.Volumes[len(pod.Volumes)-1], pod.Containers[0].VolumeMounts[len(pod.Containers[0].VolumeMounts)-1]
		if volume.ConfigMap == nil || mount.Name != volume.Name {
			t.Fatalf("%s mounts %v", program, volume)
		}
		files := slices.Sorted(maps.Keys(m.configMaps[volume.ConfigMap.Name].Data))
		if want := []string{"coldchain.caddy", "coldchain.json"}; !slices.Equal(files, want) {
			t.Errorf("%s has the files %q, want %q", program, files, want)
		}
		extension := map[string]string{"gateway": "/*.caddy", "tokens-svc": "/*.json"}[program]
		if got := settings(t, m, program)[variable]; got != mount.MountPath+extension {
			t.Errorf("%s reads %s, its files are in %s", program, got, mount.MountPath)
		}
	}
	if host := settings(t, m, "gateway")["COLDCHAIN_HOST"]; m.services[host].Spec.ClusterIP != "None" {
		t.Errorf("the gateway looks for the pods at %q", host)
	}
}

func TestOnlyTheGatewayReachesAFurtherService(t *testing.T) {
	t.Parallel()
	m := build(t, "production", "services", "../examples/coldchain")
	workloads := m.workloads()
	service := workloads[slices.IndexFunc(workloads, func(w workload) bool { return w.name == "coldchain" })]
	for _, port := range service.pod.Containers[0].Ports {
		for _, w := range workloads {
			want := w.name == "gateway" && port.Name == "http"
			for _, direction := range []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress} {
				pod, peer := w, service
				if direction == networkingv1.PolicyTypeIngress {
					pod, peer = service, w
				}
				if got := admits(t, m, pod, peer, port, direction); got != want {
					t.Errorf("%s of %s to %s: %v, want %v", direction, w.name, port.Name, got, want)
				}
			}
		}
		if got, want := admits(t, m, service, outside("prometheus"), port, networkingv1.PolicyTypeIngress), port.Name == "inner"; got != want {
			t.Errorf("Prometheus reaches %s: %v, want %v", port.Name, got, want)
		}
		if admits(t, m, service, workload{}, port, networkingv1.PolicyTypeIngress) {
			t.Errorf("clients reach %s", port.Name)
		}
	}
}

// outside is a pod of another namespace.
func outside(name string) workload {
	return workload{meta: metav1.ObjectMeta{Labels: map[string]string{"app.kubernetes.io/name": name}}}
}
