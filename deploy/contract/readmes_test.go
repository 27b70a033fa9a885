package contract

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	metricOptions = regexp.MustCompile(`prometheus\.(NewDesc\(|\w+Opts\{)`)
	metricName    = regexp.MustCompile(`(?:prometheus\.NewDesc\(|\bName: +)"quayside_(\w+)"|Namespace: "quayside",(?: Subsystem: ("\w+"|\S*program),)? Name: "(\w+)"`)
)

// The sources are read, because a scrape lacks what has no sample yet.
func TestEveryMetricIsInTheReadmeOfItsProgram(t *testing.T) {
	t.Parallel()
	shared := metrics(t, "gateway/servicekit", "gateway/servicekit")
	for module, program := range map[string]string{"gateway": "gateway", "shipments-svc": "shipments", "tokens-svc": "tokens"} {
		names := metrics(t, module, "gateway/servicekit")
		if module != "gateway" {
			for _, name := range shared {
				names = append(names, strings.Replace(name, "PROGRAM", program, 1))
			}
		}
		readme := string(read(t, module+"/README.md"))
		for _, name := range names {
			if !strings.Contains(readme, "`"+name+"`") {
				t.Errorf("%s/README.md lacks %s", module, name)
			}
		}
	}
}

// metrics are the names of those that the sources of a module define.
func metrics(t *testing.T, module, kit string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, module), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && module != kit && path == filepath.Join(root, kit) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found := metricName.FindAllSubmatch(source, -1)
		if defined := len(metricOptions.FindAll(source, -1)); len(found) != defined {
			t.Errorf("%s defines %d metrics, of which %d names are recognized", path, defined, len(found))
		}
		for _, match := range found {
			name := "quayside_" + string(match[1]) + string(match[3])
			if program := strings.Trim(string(match[2]), `"`); program != "" {
				if strings.HasSuffix(program, "program") {
					program = "PROGRAM"
				}
				name = "quayside_" + program + "_" + string(match[3])
			}
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has %d metrics, %v", module, len(names), err)
	}
	return names
}

var dependencyTable = regexp.MustCompile(`(?:## Dependencies|Direct dependencies, and why:)\n\n\|.*\n\|---\|---\|\n((?:\|.*\n)+)`)

// A README names a module without github.com/, or a path above several.
func TestEveryDirectDependencyIsInTheReadmeOfItsModule(t *testing.T) {
	t.Parallel()
	for _, module := range modules {
		table := dependencyTable.FindSubmatch(read(t, module+"/README.md"))
		if table == nil {
			t.Errorf("%s/README.md has no table of dependencies", module)
			continue
		}
		var listed []string
		for row := range strings.Lines(string(table[1])) {
			cell, _, _ := strings.Cut(row[1:], "|")
			for name := range strings.SplitSeq(cell, ",") {
				listed = append(listed, strings.Trim(name, " `"))
			}
		}
		used := map[string]bool{}
		for _, require := range parse(t, module).Require {
			path := strings.TrimPrefix(require.Mod.Path, "github.com/")
			if require.Indirect || strings.HasPrefix(path, "quayside/") {
				continue
			}
			row := slices.IndexFunc(listed, func(name string) bool { return path == name || strings.HasPrefix(path, name+"/") })
			if row < 0 {
				t.Errorf("%s/README.md lacks %s", module, path)
				continue
			}
			used[listed[row]] = true
		}
		for _, name := range listed {
			if !used[name] {
				t.Errorf("%s/README.md lists %s, which go.mod does not require", module, name)
			}
		}
	}
}
