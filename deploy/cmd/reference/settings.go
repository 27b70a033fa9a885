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
	for _, section := range []struct{ heading, dir, structName string }{
		{"shipments-svc and tokens-svc", "gateway/servicekit/settings", "Service"},
		{"shipments-svc", "shipments-svc/internal/config", "Settings"},
		{"tokens-svc", "tokens-svc/internal/config", "Settings"},
	} {
		all, err := structSettings(filepath.Join(root, section.dir), section.structName)
		if err != nil {
			return err
		}
		header(out, section.heading, "variable", "default", "meaning")
		for _, s := range all {
			row(out, code(s.name), code(s.value), s.meaning)
		}
	}
	return nil
}

// setting is a row of a table.
type setting struct{ name, value, meaning string }

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
		meaning := strings.Join(strings.Fields(strings.ReplaceAll(string(match[2]), "\n#", " ")), " ")
		row(out, code(name), code(defaults[name]), meaning+alsoFile(strings.HasSuffix(meaning, "Secret.")))
		delete(defaults, name)
	}
	for name := range defaults {
		return fmt.Errorf("the Caddyfile uses %s without a comment `# %s: …` that describes it", name, name)
	}
	return nil
}

func alsoFile(is bool) string {
	if !is {
		return ""
	}
	return " *file*"
}

// structSettings reads a struct of settings: its tags, and the text from the tag doc or from the comment.
func structSettings(dir, name string) (found []setting, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
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
				meaning += alsoFile(secret || tag.Get("file") == "true")
				found = append(found, setting{tag.Get("env"), tag.Get("envDefault"), meaning})
			}
			return false
		})
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no struct %s with tags", dir, name)
	}
	return found, nil
}
