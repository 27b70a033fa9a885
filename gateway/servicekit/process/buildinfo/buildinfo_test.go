package buildinfo

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestTheVersionOfTheLinkerComesFirst(t *testing.T) {
	t.Parallel()
	recorded := &debug.BuildInfo{
		Main:     debug.Module{Version: "v0.1.0"},
		Settings: []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc"}},
	}
	for _, c := range []struct {
		version, revision string
		build             *debug.BuildInfo
		want              Info
	}{
		{"", "", nil, Info{"devel", "unknown"}},
		{"", "", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, Info{"devel", "unknown"}},
		{"", "", recorded, Info{"v0.1.0", "abc"}},
		{"v1.2.3", "def", recorded, Info{"v1.2.3", "def"}},
	} {
		if got := read(c.version, c.revision, c.build); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	if line := Read().Line("things"); !strings.HasPrefix(line, "things ") || !strings.HasSuffix(line, ")\n") {
		t.Errorf("%q", line)
	}
}
