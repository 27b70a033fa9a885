// Package buildinfo returns the version of the running program.
//
// A release sets version and revision when it links the program:
//
//	go build -ldflags "-X github.com/quayside/quayside/gateway/servicekit/process/buildinfo.version=v1.2.3"
//
// Otherwise both come from runtime/debug.ReadBuildInfo, as far as the go command
// recorded them.
package buildinfo

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

var version, revision string // set by the linker

// Info is the version of a program.
type Info struct {
	Version  string // such as v1.2.3, or "devel"
	Revision string // of the source, or "unknown"
}

// Read returns the version of the running program.
func Read() Info {
	build, _ := debug.ReadBuildInfo()
	return read(version, revision, build)
}

func read(version, revision string, build *debug.BuildInfo) Info {
	if build != nil {
		if build.Main.Version != "(devel)" {
			version = cmp.Or(version, build.Main.Version)
		}
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				revision = cmp.Or(revision, s.Value)
			}
		}
	}
	return Info{cmp.Or(version, "devel"), cmp.Or(revision, "unknown")}
}

// Line returns the answer to --version of a program, with a line break.
func (i Info) Line(program string) string {
	return fmt.Sprintf("%s %s (revision %s, %s)\n", program, i.Version, i.Revision, runtime.Version())
}
