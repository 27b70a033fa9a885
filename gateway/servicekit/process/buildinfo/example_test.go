package buildinfo_test

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
)

func ExampleInfo_Line() {
	info := buildinfo.Info{Version: "v1.2.3", Revision: "5d41402a"}
	line, _, _ := strings.Cut(info.Line("things-svc"), ",") // the version of Go follows
	fmt.Println(line)
	// Output: things-svc v1.2.3 (revision 5d41402a
}
