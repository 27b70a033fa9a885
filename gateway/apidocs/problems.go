package apidocs

import (
	_ "embed" // for the data
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

// explanation is of a problem code: its meaning, and what a client can do.
type explanation struct {
	problem.Problem

	Meaning string `json:"meaning"`
	Remedy  string `json:"remedy"`
}

// StatusText is the name of the problem's status.
func (p explanation) StatusText() string {
	if p.Status == 499 { // in use, but in no standard
		return "Client Closed Request"
	}
	return http.StatusText(p.Status)
}

//go:embed problems.json
var problemsText []byte

// addProblems adds the list of the problem codes and the page of each.
func (s *site) addProblems() error {
	all, err := readProblems()
	if err != nil {
		return err
	}
	s.add(document{Path: "/problems", Template: "problems", Title: "Problem codes", Chapter: "Reference", Body: all})
	for _, p := range all {
		s.add(document{Path: "/problems/" + p.Code, Template: "problem", Title: p.Title, Body: p})
	}
	return nil
}

// readProblems returns every problem, by status and code.
func readProblems() (all []explanation, err error) {
	if err := json.Unmarshal(problemsText, &all); err != nil {
		return nil, fmt.Errorf("problems.json: %w", err)
	}
	return all, nil
}
