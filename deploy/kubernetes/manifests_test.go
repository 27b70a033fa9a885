// Package kubernetes checks the manifests, without a cluster, against the types of the Kubernetes API, the Pod Security
// Standards and the connections that network policies should admit.
package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// overlays are what an operator applies.
var overlays = []string{"trial", "production"}

// components are what an operator may add to an overlay.
var components = []string{"services", "traces", "monitoring", "backup", "../examples/coldchain"}

// manifests are the objects of an overlay that tests read, by name.
type manifests struct {
	deployments  map[string]appsv1.Deployment
	statefulSets map[string]appsv1.StatefulSet
	jobs         map[string]batchv1.Job
	cronJobs     map[string]batchv1.CronJob
	namespaces   map[string]corev1.Namespace
	policies     map[string]networkingv1.NetworkPolicy
	names        []string // of all objects, with their kinds
}

// build renders an overlay with components as kustomize does, and refuses what the Kubernetes API has no field for.
func build(t *testing.T, overlay string, components ...string) (m manifests) {
	t.Helper()
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		extend(t, overlay, components))
	if err != nil {
		t.Fatal(err)
	}
	return read(t, rendered)
}

// chart renders the chart as `helm install` does, in a namespace of the operator's.
func chart(t *testing.T, release string, arguments ...string) manifests {
	t.Helper()
	helm := "../../.bin/helm" // of `make helm`
	if _, err := os.Stat(helm); err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	arguments = append([]string{"template", release, "chart", "--kube-version", "1.34"}, arguments...)
	cmd := exec.CommandContext(t.Context(), helm, arguments...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory()).NewResMapFromBytes(text)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, rendered)
}

func read(t *testing.T, rendered resmap.ResMap) (m manifests) {
	t.Helper()
	for _, r := range rendered.Resources() {
		m.names = append(m.names, r.GetKind()+" "+r.GetName())
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		switch r.GetKind() {
		case "Deployment":
			add(t, &m.deployments, r.GetName(), text)
		case "StatefulSet":
			add(t, &m.statefulSets, r.GetName(), text)
		case "Job":
			add(t, &m.jobs, r.GetName(), text)
		case "CronJob":
			add(t, &m.cronJobs, r.GetName(), text)
		case "Namespace":
			add(t, &m.namespaces, r.GetName(), text)
		case "NetworkPolicy":
			add(t, &m.policies, r.GetName(), text)
		case "Service":
			add(t, new(map[string]corev1.Service), r.GetName(), text)
		case "ConfigMap":
			add(t, new(map[string]corev1.ConfigMap), r.GetName(), text)
		case "Secret":
			add(t, new(map[string]corev1.Secret), r.GetName(), text)
		case "PersistentVolumeClaim":
			add(t, new(map[string]corev1.PersistentVolumeClaim), r.GetName(), text)
		case "PodDisruptionBudget":
			add(t, new(map[string]policyv1.PodDisruptionBudget), r.GetName(), text)
		case "HorizontalPodAutoscaler":
			add(t, new(map[string]autoscalingv2.HorizontalPodAutoscaler), r.GetName(), text)
		case "Ingress":
			add(t, new(map[string]networkingv1.Ingress), r.GetName(), text)
		case "HTTPRoute", "PodMonitor", "PrometheusRule": // of operators, whose types are not here
		default:
			t.Errorf("no type for %s %s", r.GetKind(), r.GetName())
		}
	}
	return m
}

// extend returns a directory whose kustomization is the overlay with components.
func extend(t *testing.T, overlay string, components []string) string {
	t.Helper()
	if len(components) == 0 {
		return overlay
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.Rel(dir, here) // kustomize takes no absolute path
	if err != nil {
		t.Fatal(err)
	}
	kustomization := map[string][]string{"resources": {filepath.Join(base, overlay)}}
	for _, c := range components {
		kustomization["components"] = append(kustomization["components"], filepath.Join(base, c))
	}
	text, err := yaml.Marshal(kustomization)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func add[T any](t *testing.T, to *map[string]T, name string, text []byte) {
	t.Helper()
	var object T
	if err := yaml.UnmarshalStrict(text, &object); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if *to == nil {
		*to = map[string]T{}
	}
	(*to)[name] = object
}

// workload is what makes pods.
type workload struct {
	kind, name string
	meta       metav1.ObjectMeta // of its pods
	pod        corev1.PodSpec
}

func (m manifests) workloads() (all []workload) {
	for name, d := range m.deployments {
		all = append(all, workload{"Deployment", name, d.Spec.Template.ObjectMeta, d.Spec.Template.Spec})
	}
	for name, s := range m.statefulSets {
		all = append(all, workload{"StatefulSet", name, s.Spec.Template.ObjectMeta, s.Spec.Template.Spec})
	}
	for name, j := range m.jobs {
		all = append(all, workload{"Job", name, j.Spec.Template.ObjectMeta, j.Spec.Template.Spec})
	}
	for name, c := range m.cronJobs {
		template := c.Spec.JobTemplate.Spec.Template
		all = append(all, workload{"CronJob", name, template.ObjectMeta, template.Spec})
	}
	return all
}

// each runs a test for every overlay, for production with all components, and for the chart with everything it has.
func each(t *testing.T, test func(*testing.T, manifests)) {
	t.Parallel()
	t.Run("production with components", func(t *testing.T) {
		t.Parallel()
		test(t, build(t, "production", components...))
	})
	t.Run("chart", func(t *testing.T) {
		t.Parallel()
		test(t, chart(t, "a", "--set",
			"monitoring.enabled=true,ingress.enabled=true,httpRoute.enabled=true,backup.schedule=@daily"))
	})
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			test(t, build(t, overlay))
		})
	}
}

// Two releases in one namespace have no name in common, and select no pods of each other.
func TestTwoReleasesFitInANamespace(t *testing.T) {
	t.Parallel()
	one, other := chart(t, "a"), chart(t, "b")
	for _, name := range one.names {
		if slices.Contains(other.names, name) {
			t.Errorf("both have %s", name)
		}
	}
	for _, d := range one.deployments {
		for _, pod := range other.workloads() {
			if selects(t, d.Spec.Selector, pod) {
				t.Errorf("%s selects pods of %s", d.Name, pod.name)
			}
		}
	}
	for _, p := range one.policies {
		for _, pod := range other.workloads() {
			if selects(t, &p.Spec.PodSelector, pod) {
				t.Errorf("policy %s is about pods of %s", p.Name, pod.name)
			}
		}
	}
}
