package contract

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestDependabotKnowsEveryDirectory: each go.mod, Dockerfile, package.json, compose file and set of workflows has an
// entry, and each entry a directory with such a file.
func TestDependabotKnowsEveryDirectory(t *testing.T) {
	t.Parallel()
	var config struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directory   string
			Directories []string
		}
	}
	if err := yaml.Unmarshal(read(t, ".github/dependabot.yml"), &config); err != nil {
		t.Fatal(err)
	}
	patterns := map[string][]string{}
	for _, update := range config.Updates {
		if update.Directory != "" {
			update.Directories = []string{update.Directory}
		}
		patterns[update.Ecosystem] = append(patterns[update.Ecosystem], update.Directories...)
	}
	for ecosystem, directories := range dependencyFiles(t) {
		used := map[string]bool{}
		for _, directory := range directories {
			entry := slices.IndexFunc(patterns[ecosystem], func(pattern string) bool {
				matches, err := path.Match(pattern, directory)
				return matches && err == nil
			})
			if entry < 0 {
				t.Errorf("%s: no entry for %s", ecosystem, directory)
				continue
			}
			used[patterns[ecosystem][entry]] = true
		}
		for _, pattern := range patterns[ecosystem] {
			if !used[pattern] {
				t.Errorf("%s: nothing in %s", ecosystem, pattern)
			}
		}
	}
}

// dependencyFiles are the directories that Dependabot can update, by its name of the ecosystem.
func dependencyFiles(t *testing.T) map[string][]string {
	t.Helper()
	ecosystems := map[string]string{
		"go.mod": "gomod", "Dockerfile": "docker", "package.json": "npm", "docker-compose.yml": "docker-compose",
		".github/workflows": "github-actions", "deploy/kubernetes/trial/redis.yaml": "docker",
	}
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == ".run" || name == ".bin" || name == ".git") {
			return filepath.SkipDir
		}
		relative := strings.TrimPrefix(filepath.ToSlash(file), root+"/")
		for _, name := range []string{relative, entry.Name()} {
			if ecosystem := ecosystems[name]; ecosystem != "" {
				directory := path.Join("/", path.Dir(relative))
				if ecosystem == "github-actions" {
					directory = "/" // by definition
				}
				if !slices.Contains(found[ecosystem], directory) {
					found[ecosystem] = append(found[ecosystem], directory)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
