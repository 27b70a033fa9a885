package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
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

// metricOf reads the call of a constructor: the fields of its options and its labels, or the arguments of NewDesc.
func metricOf(call *ast.CallExpr) (found metric, ok bool) {
	kind, ok := strings.CutPrefix(types.ExprString(call.Fun), "prometheus.New")
	if !ok {
		return found, false
	}
	found.kind = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(kind, "Vec"), "Func"))
	fields := map[string]string{}
	var labels []string
	switch options, isLiteral := call.Args[0].(*ast.CompositeLit); {
	case kind == "Desc":
		found.kind, fields["Name"], fields["Help"] = "gauge", text(call.Args[0]), text(call.Args[1])
	case isLiteral:
		for _, element := range options.Elts {
			field := element.(*ast.KeyValueExpr)
			fields[types.ExprString(field.Key)] = text(field.Value)
			labels = append(labels, texts(field.Value, "Labels")...)
		}
	default:
		return found, false
	}
	for _, argument := range call.Args[1:] {
		labels = append(labels, texts(argument, "[]string")...)
	}
	parts := []string{fields["Namespace"], fields["Subsystem"], fields["Name"]}
	found.name = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "_")
	found.labels, found.help = strings.Join(labels, ", "), fields["Help"]
	return found, true
}

// text is the value of a literal or a sum of them; another expression stands for the program's name.
func text(expression ast.Expr) string {
	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(expression))
	if err != nil || value.Value == nil || value.Value.Kind() != constant.String {
		return "PROGRAM"
	}
	return constant.StringVal(value.Value)
}

// texts are the elements of a literal of a type of this name, or the keys of a map.
func texts(expression ast.Expr, of string) (values []string) {
	literal, ok := expression.(*ast.CompositeLit)
	if !ok || !strings.HasSuffix(types.ExprString(literal.Type), of) {
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
