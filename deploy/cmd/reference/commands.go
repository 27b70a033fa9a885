package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// writeCommands asks the programs for their help.
func writeCommands(root string, out *bytes.Buffer) error {
	for _, program := range []string{"shipments-svc", "tokens-svc"} {
		run := exec.CommandContext(context.Background(), "go", "run", "./cmd/"+program, "--help")
		run.Dir, run.Stderr = filepath.Join(root, program), os.Stderr // go says there what it downloads
		help, err := run.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
		fmt.Fprintf(out, "\n## %s\n\n```\n%s\n```\n", program, bytes.TrimSpace(help))
	}
	return nil
}
