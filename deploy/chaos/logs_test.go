package main

import "testing"

func TestWarningsAreDistinguishedByTheStateThatTheyReport(t *testing.T) {
	t.Parallel()
	const suspect = `{"level":"warn","ts":1,"logger":"http.handlers.service","msg":"address is suspect","service":"shipments-svc","address":"127.0.0.1:1","error":"503"}`
	first, ok := warning("gateway", []byte(suspect))
	if !ok {
		t.Fatal("it is no message")
	}
	for line, want := range map[string]struct{ ok, same bool }{
		`{"level":"warn","ts":2,"logger":"http.handlers.service","msg":"address is suspect","service":"shipments-svc","address":"127.0.0.1:1","error":"timeout"}`: {true, true},
		`{"level":"warn","ts":1,"logger":"http.handlers.service","msg":"address is suspect","service":"shipments-svc","address":"127.0.0.2:1","error":"503"}`:     {true, false},
		`{"level":"warn","ts":1,"logger":"http.handlers.service","msg":"address is ejected","address":"127.0.0.1:1","for":2}`:                                     {true, false},
		`{"level":"ERROR","msg":"database unavailable","for":"reading"}`:                                                                                          {true, false},
		`{"level":"info","msg":"address is healthy","address":"127.0.0.1:1"}`:                                                                                     {},
		`{"level":"error","logger":"http.log.access","msg":"handled request"}`:                                                                                    {},
		`{"level":"warn","msg":"addr`: {},
	} {
		got, ok := warning("gateway", []byte(line))
		if ok != want.ok || (ok && (got == first) != want.same) {
			t.Errorf("%s: %+v, %v", line, got, ok)
		}
	}
	ejected := func(seconds string) message {
		m, _ := warning("gateway", []byte(`{"level":"warn","msg":"address is ejected","address":"127.0.0.1:1","for":`+seconds+`}`))
		return m
	}
	if ejected("2") == ejected("4") {
		t.Error("an ejection is the same as the one after it")
	}
}
