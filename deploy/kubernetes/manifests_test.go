// Package kubernetes checks the manifests: without a cluster against the schemas of the Kubernetes API, the Pod
// Security Standards, the policies of this package and docker-compose.yml; and on the cluster of TEST_KUBECONFIG that
// the product works as they promise (make test-kubernetes).
package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const root = "../.."

// overlays are what an operator applies.
var overlays = []string{"trial", "production"}

// components are what an operator may add to an overlay.
var components = []string{"services", "traces", "../examples/coldchain"}

// programs are the Deployments of base.
var programs = []string{"gateway", "shipments-svc", "tokens-svc"}

// manifests are the objects of an overlay, by name.
type manifests struct {
	text         []byte // of all but the Secrets
	deployments  map[string]appsv1.Deployment
	statefulSets map[string]appsv1.StatefulSet
	jobs         map[string]batchv1.Job
	services     map[string]corev1.Service
	configMaps   map[string]corev1.ConfigMap
	secrets      map[string]corev1.Secret
	claims       map[string]corev1.PersistentVolumeClaim
	namespaces   map[string]corev1.Namespace
	policies     map[string]networkingv1.NetworkPolicy
	budgets      map[string]policyv1.PodDisruptionBudget
	scalers      map[string]autoscalingv2.HorizontalPodAutoscaler
}

// build renders an overlay with components as kustomize does, and refuses what the Kubernetes API has no field for.
func build(t *testing.T, overlay string, components ...string) (m manifests) {
	t.Helper()
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		extend(t, overlay, components))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rendered.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		if r.GetKind() != "Secret" { // kustomize writes base64 in lines, which kubectl-validate refuses and the API accepts
			m.text = append(append(m.text, "---\n"...), text...)
		}
		switch r.GetKind() {
		case "Deployment":
			add(t, &m.deployments, r.GetName(), text)
		case "StatefulSet":
			add(t, &m.statefulSets, r.GetName(), text)
		case "Job":
			add(t, &m.jobs, r.GetName(), text)
		case "Service":
			add(t, &m.services, r.GetName(), text)
		case "ConfigMap":
			add(t, &m.configMaps, r.GetName(), text)
		case "Secret":
			add(t, &m.secrets, r.GetName(), text)
		case "PersistentVolumeClaim":
			add(t, &m.claims, r.GetName(), text)
		case "Namespace":
			add(t, &m.namespaces, r.GetName(), text)
		case "NetworkPolicy":
			add(t, &m.policies, r.GetName(), text)
		case "PodDisruptionBudget":
			add(t, &m.budgets, r.GetName(), text)
		case "HorizontalPodAutoscaler":
			add(t, &m.scalers, r.GetName(), text)
		default:
			t.Errorf("%s: no policy covers %s %s", overlay, r.GetKind(), r.GetName())
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

// containers are those of the pod, first those that run before the others.
func (w workload) containers() []corev1.Container {
	return append(append([]corev1.Container{}, w.pod.InitContainers...), w.pod.Containers...)
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
	return all
}

// each runs a test for every overlay, and for production with all components.
func each(t *testing.T, test func(*testing.T, manifests)) {
	t.Parallel()
	t.Run("production with components", func(t *testing.T) {
		t.Parallel()
		test(t, build(t, "production", components...))
	})
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			test(t, build(t, overlay))
		})
	}
}

func TestManifestsMatchTheSchemasOfTheAPI(t *testing.T) {
	each(t, func(t *testing.T, m manifests) { validate(t, m.text) })
}

// validate runs the API server's validation of manifests with the published schemas of Kubernetes 1.30:
// kubectl-validate.
func validate(t *testing.T, manifests []byte, options ...string) {
	t.Helper()
	binary := os.Getenv("TEST_KUBECTL_VALIDATE")
	if binary == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("TEST_KUBECTL_VALIDATE is not set: make kubectl-validate")
		}
		t.Skip("TEST_KUBECTL_VALIDATE is not set: make kubectl-validate")
	}
	path := filepath.Join(t.TempDir(), "manifests.yaml")
	if err := os.WriteFile(path, manifests, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), binary, append(options, "--version", "1.30", path)...)
	command.Env = []string{"HOME=" + t.TempDir(), "KUBECONFIG=/dev/null"} // no cluster is asked
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
