package contract

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestTheExampleMovesToARepositoryOfItsOwn runs the commands of ADD-A-SERVICE.md, with servicekit as a released module
// that a proxy serves.
func TestTheExampleMovesToARepositoryOfItsOwn(t *testing.T) {
	t.Parallel()
	page := string(read(t, "deploy/docs/tutorials/add-a-service.md"))
	_, section, _ := strings.Cut(page, "## In a repository and an image of your own")
	_, commands, _ := strings.Cut(section, "```console\n")
	commands, _, _ = strings.Cut(commands, "docker build")
	released := regexp.MustCompile(`go get (\S+)@(v\S+)`).FindStringSubmatch(commands)
	if released == nil {
		t.Fatal("the page has no go get")
	}
	home, known := t.TempDir(), goEnv(t, "GOMODCACHE")
	proxy := release(t, module.Version{Path: released[1], Version: released[2]}, "gateway/servicekit")
	run := exec.CommandContext(t.Context(), "sh", "-euc", commands)
	run.Dir = root
	run.Env = append(os.Environ(), "HOME="+home, "GOMODCACHE="+filepath.Join(home, "modules"),
		"GOCACHE="+goEnv(t, "GOCACHE"),
		"GOPROXY="+proxy+",file://"+filepath.ToSlash(known)+"/cache/download,"+goEnv(t, "GOPROXY"),
		"GOSUMDB=off", "GOFLAGS=-trimpath -modcacherw", "GOWORK=off")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s%v\n%s", commands, err, out)
	}
	mod, err := os.ReadFile(filepath.Join(home, "coldchain/go.mod"))
	if err != nil || bytes.Contains(mod, []byte("\nreplace")) {
		t.Errorf("%v, go.mod is\n%s", err, mod)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// release returns the URL of a module proxy with one version of the module in dir.
func release(t *testing.T, version module.Version, dir string) string {
	t.Helper()
	proxy := t.TempDir()
	versions := filepath.Join(proxy, version.Path, "@v")
	if err := os.MkdirAll(versions, 0o700); err != nil {
		t.Fatal(err)
	}
	var files bytes.Buffer
	if err := zip.CreateFromDir(&files, version, filepath.Join(root, dir)); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list":                    []byte(version.Version + "\n"),
		version.Version + ".info": fmt.Appendf(nil, `{"Version": %q}`, version.Version),
		version.Version + ".mod":  read(t, dir+"/go.mod"),
		version.Version + ".zip":  files.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "file://" + filepath.ToSlash(proxy)
}
