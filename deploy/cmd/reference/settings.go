package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

func writeSettings(root string, out *bytes.Buffer) error {
	if err := gatewaySettings(root, out); err != nil {
		return fmt.Errorf("gateway: %w", err)
	}
	for _, program := range []string{"shipments-svc", "tokens-svc"} {
		if err := serviceSettings(root, program, out); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
	}
	return nil
}

var (
	described = regexp.MustCompile(`(?m)^# ([A-Z][A-Z0-9_]+): (.*(?:\n#   .*)*)`)
	variable  = regexp.MustCompile(`\{\$(\w+):?([^}]*)\}|\{env\.(\w+)\}`)
)

// gatewaySettings reads the descriptions from the comments `# NAME: text` of the Caddyfile, and the defaults from where
// it and its routes use them.
func gatewaySettings(root string, out *bytes.Buffer) error {
	files, err := filepath.Glob(filepath.Join(root, "gateway", "routes", "*.caddy"))
	if err != nil {
		return err
	}
	var text []byte
	for _, path := range append(files, filepath.Join(root, "gateway", "Caddyfile")) {
		part, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = append(text, part...)
	}
	defaults := map[string]string{}
	for _, use := range variable.FindAllSubmatch(text, -1) {
		defaults[string(use[1])+string(use[3])] = string(use[2])
	}
	header(out, "gateway", "variable", "default", "meaning")
	for _, match := range described.FindAllSubmatch(text, -1) {
		name := string(match[1])
		if _, used := defaults[name]; !used {
			return fmt.Errorf("the Caddyfile describes %s and does not use it", name)
		}
		_, file := defaults[name+"_FILE"]
		meaning := strings.Join(strings.Fields(strings.ReplaceAll(string(match[2]), "\n#", " ")), " ")
		row(out, code(name), code(defaults[name]), meaning+alsoFile(name, file))
		delete(defaults, name)
		delete(defaults, name+"_FILE")
	}
	for name := range defaults {
		return fmt.Errorf("the Caddyfile uses %s without a comment `# %s: …` that describes it", name, name)
	}
	return nil
}

func alsoFile(name string, is bool) string {
	if !is {
		return ""
	}
	return " Also `" + name + "_FILE`."
}

// serviceSettings reads the struct Settings of a service: its tags, and the text from the tag doc or from the comment.
func serviceSettings(root, program string, out *bytes.Buffer) error {
	files, err := filepath.Glob(filepath.Join(root, program, "internal", "config", "*.go"))
	if err != nil {
		return err
	}
	header(out, program, "variable", "default", "meaning")
	found := 0
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok || spec.Name.Name != "Settings" {
				return true
			}
			for _, field := range spec.Type.(*ast.StructType).Fields.List {
				if field.Tag == nil {
					continue
				}
				text, _ := strconv.Unquote(field.Tag.Value)
				tag := reflect.StructTag(text)
				meaning := strings.Join(strings.Fields(tag.Get("doc")+field.Doc.Text()), " ")
				secret := tag.Get("secret") == "true"
				if secret {
					meaning += " Secret."
				}
				name := tag.Get("env")
				row(out, code(name), code(tag.Get("envDefault")), meaning+alsoFile(name, secret || tag.Get("file") == "true"))
				found++
			}
			return false
		})
	}
	if found == 0 {
		return fmt.Errorf("internal/config has no struct Settings with tags")
	}
	return nil
}
