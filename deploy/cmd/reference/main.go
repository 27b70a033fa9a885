// Command reference writes the pages of docs/reference that list what the code defines: settings, metrics and
// commands. Run it with `make generate`.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const notice = "<!-- Written by `make generate` from the code. -->\n"

// page is a file of docs/reference.
type page struct {
	name, title, intro string
	write              func(root string, out *bytes.Buffer) error
}

var pages = []page{
	{
		"settings.md", "Settings", "Each program reads its settings from the environment, and reports all that are " +
			"wrong at once. Each marked *file* can be given as the path of a file instead, in `NAME_FILE`.",
		writeSettings,
	},
	{
		"metrics.md", "Metrics", "Prometheus scrapes them from `/metrics` of each program's internal listener. " +
			"`PROGRAM` is `shipments` or `tokens`; those of Go and of the process are there, too.",
		writeMetrics,
	},
	{"commands.md", "Commands", "Exit codes: 0 success, 1 failure, 2 wrong command line.", writeCommands},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reference ROOT")
		os.Exit(2)
	}
	for _, page := range pages {
		if err := generate(os.Args[1], page); err != nil {
			fmt.Fprintf(os.Stderr, "reference: %s: %v\n", page.name, err)
			os.Exit(1)
		}
	}
}

func generate(root string, page page) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n%s\n", page.title, notice, page.intro)
	if err := page.write(root, &out); err != nil {
		return err
	}
	path := filepath.Join(root, "deploy", "docs", "reference", page.name)
	return os.WriteFile(path, out.Bytes(), 0o600)
}

// row writes cells as a row of a Markdown table.
func row(out *bytes.Buffer, cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}

// header writes the head of a table below a heading.
func header(out *bytes.Buffer, heading string, columns ...string) {
	if heading != "" {
		fmt.Fprintf(out, "\n## %s\n", heading)
	}
	fmt.Fprintf(out, "\n| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

// code is a value in the typeface of code; nothing remains nothing.
func code(value string) string {
	if value == "" {
		return ""
	}
	return "`" + value + "`"
}
