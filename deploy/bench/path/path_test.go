package main

import (
	"testing"
	"time"
)

func TestIdentifiersOfTheAPIAreUUIDsInPostgres(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"org_01arz3ndektsv4rrffq69g5fav":  "01563e3a-b5d3-d676-4c61-efb99302bd5b",
		"ship_7zzzzzzzzzzzzzzzzzzzzzzzzz": "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"org_01arz3ndektsv4rrffq69g5fa":   "",
		"org_01arz3ndektsv4rrffq69g5fau":  "",
		"":                                "",
	} {
		if got, err := postgresID(id); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v; want %s", id, got, err, want)
		}
	}
}

func TestGoalsCompareTheMediansOfHeadAndBase(t *testing.T) {
	t.Parallel()
	cpu := func(all ...time.Duration) (measured []figures) {
		for _, d := range all {
			measured = append(measured, figures{cpu: usage{"gateway": d}})
		}
		return measured
	}
	r := &results{measured: map[string]map[string][]figures{
		"get":    {base: cpu(10, 10, 90), head: cpu(5, 1, 9)},
		"create": {base: cpu(10), head: cpu(9)},
	}}
	goals := r.goals()
	if len(goals) != 2 || !goals[0].Met || goals[0].Measured != "0.50" || goals[1].Met || goals[1].Measured != "0.90" {
		t.Errorf("%+v", goals)
	}
}
