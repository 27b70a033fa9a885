package compose_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestWatchFollowsWhatImagesAreBuiltFrom compares watch.yml with what the Dockerfiles
// copy out of the repository.
func TestWatchFollowsWhatImagesAreBuiltFrom(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("watch.yml")
	if err != nil {
		t.Fatal(err)
	}
	var watched struct {
		Services map[string]struct {
			Develop struct {
				Watch []struct{ Action, Path string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &watched); err != nil {
		t.Fatal(err)
	}
	copied := regexp.MustCompile(`(?m)^COPY ([^-\s].*) \S+$`)
	for name, s := range read(t, "docker-compose.yml").Services {
		if s.Build == nil {
			continue
		}
		var paths []string
		for _, w := range watched.Services[name].Develop.Watch {
			paths = append(paths, w.Path)
			if _, err := os.Stat(filepath.Join(root, w.Path)); err != nil || w.Action != "rebuild" {
				t.Errorf("%s: %s of %s: %v", name, w.Action, w.Path, err)
			}
		}
		if len(paths) == 0 {
			t.Errorf("%s is not watched", name)
		}
		if s.Restart == "" {
			continue // a job, which only some of the source concerns
		}
		dockerfile, err := os.ReadFile(filepath.Join(root, name, "Dockerfile"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range copied.FindAllStringSubmatch(string(dockerfile), -1) {
			for source := range strings.FieldsSeq(line[1]) {
				if !slices.ContainsFunc(paths, func(path string) bool { return source == path || strings.HasPrefix(source, path+"/") }) {
					t.Errorf("%s is built from %s and watches %q", name, source, paths)
				}
			}
		}
	}
}
