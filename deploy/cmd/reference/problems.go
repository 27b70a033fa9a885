package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
)

// writeProblems reads the pages of problems, which the gateway serves.
func writeProblems(root string, out *bytes.Buffer) error {
	text, err := os.ReadFile(filepath.Join(root, "gateway", "apidocs", "problems.json"))
	if err != nil {
		return err
	}
	var problems []struct {
		Code, Title string
		Status      int
	}
	if err := json.Unmarshal(text, &problems); err != nil {
		return err
	}
	header(out, "", "code", "status", "title")
	for _, problem := range problems {
		row(out, code(problem.Code), strconv.Itoa(problem.Status), problem.Title)
	}
	return nil
}
