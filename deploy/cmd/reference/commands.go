package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// writeCommands builds the programs and asks them for their help.
func writeCommands(root string, out *bytes.Buffer) error {
	directory, err := os.MkdirTemp("", "reference")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	for _, program := range []string{"shipments-svc", "tokens-svc"} {
		build := exec.CommandContext(context.Background(), "go", "build", "-o", directory, "./cmd/"+program)
		build.Dir, build.Stderr = filepath.Join(root, program), os.Stderr
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if err := build.Run(); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
		help := helpOf(filepath.Join(directory, program), "--help")
		fmt.Fprintf(out, "\n## %s\n\n```\n%s\n```\n", program, help)
	}
	return nil
}

// helpOf is what a program prints, whatever its exit code.
func helpOf(program string, args ...string) string {
	help, _ := exec.CommandContext(context.Background(), program, args...).CombinedOutput()
	return strings.TrimSpace(string(help))
}
