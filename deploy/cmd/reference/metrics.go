package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// metric is what a call of prometheus.New… says.
type metric struct{ name, kind, labels, help string }

func writeMetrics(root string, out *bytes.Buffer) error {
	for _, module := range []string{"gateway", "shipments-svc", "tokens-svc", "gateway/servicekit"} {
		metrics, err := metricsOf(filepath.Join(root, module), filepath.Join(root, "gateway", "servicekit"))
		if err != nil {
			return fmt.Errorf("%s: %w", module, err)
		}
		header(out, module, "metric", "type", "labels", "meaning")
		for _, metric := range metrics {
			row(out, code(metric.name), metric.kind, metric.labels, metric.help)
		}
	}
	return nil
}

// metricsOf reads the sources, because a scrape lacks what has no sample yet.
func metricsOf(module, kit string) (metrics []metric, err error) {
	err = filepath.WalkDir(module, func(path string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == kit && module != kit:
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if found, ok := metricOf(call); ok {
				metrics = append(metrics, found)
			}
			return true
		})
		return nil
	})
	slices.SortFunc(metrics, func(a, b metric) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(metrics), err
}

func metricOf(call *ast.CallExpr) (found metric, ok bool) {
	kind, ok := strings.CutPrefix(selected(call.Fun), "prometheus.New")
	if !ok {
		return found, false
	}
	var labels []string
	found.kind = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(kind, "Vec"), "Func"))
	options, isLiteral := call.Args[0].(*ast.CompositeLit)
	switch {
	case kind == "Desc" && len(call.Args) == 4:
		found.kind, found.name, found.help = "gauge", text(call.Args[0]), text(call.Args[1])
	case isLiteral && strings.HasSuffix(selected(options.Type), "Opts"):
		var parts [3]string
		for _, element := range options.Elts {
			field := element.(*ast.KeyValueExpr)
			switch field.Key.(*ast.Ident).Name {
			case "Namespace":
				parts[0] = text(field.Value)
			case "Subsystem":
				parts[1] = text(field.Value)
			case "Name":
				parts[2] = text(field.Value)
			case "Help":
				found.help = text(field.Value)
			case "ConstLabels":
				labels = append(labels, texts(field.Value)...)
			}
		}
		found.name = strings.Join(slices.DeleteFunc(parts[:], func(part string) bool { return part == "" }), "_")
	default:
		return found, false
	}
	for _, argument := range call.Args[1:] {
		labels = append(labels, texts(argument)...)
	}
	found.labels = strings.Join(labels, ", ")
	return found, true
}

// selected is a selector, such as prometheus.NewGauge.
func selected(expression ast.Expr) string {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	return fmt.Sprint(selector.X) + "." + selector.Sel.Name
}

// text is the value of a literal or a sum of them; another expression stands for the program's name.
func text(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		if err != nil {
			return e.Value
		}
		return value
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return "PROGRAM"
}

// texts are the elements of a literal of strings, or the keys of a map.
func texts(expression ast.Expr) (values []string) {
	literal, ok := expression.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Key
		}
		values = append(values, text(element))
	}
	return values
}
