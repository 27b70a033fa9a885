package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// profile writes CPU profiles of the gateway under a scenario, in separate
// measurements whose figures are discarded.
func (r *testbed) profile(ctx context.Context, sc scenario) error {
	if r.settings.profiles == "" {
		return nil
	}
	if err := os.MkdirAll(r.settings.profiles, 0o750); err != nil {
		return err
	}
	longer := *r
	longer.settings.length = r.settings.profiled
	for _, m := range []mode{saturated, steady} {
		path := filepath.Join(r.settings.profiles, sc.key+"-"+string(m)+".pprof")
		fetched := make(chan error, 1)
		go func() { fetched <- longer.fetchProfile(ctx, path) }()
		_, err := longer.measure(ctx, sc, m, gateway)
		if err := errors.Join(err, <-fetched); err != nil {
			return err
		}
	}
	return nil
}

func (r *testbed) fetchProfile(ctx context.Context, path string) error {
	seconds := 1 + int((r.settings.warmup + r.settings.length).Seconds()) // all of one measurement
	url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", r.servers[gateway].Inner, seconds)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("profile: %s (%w): %.200s", res.Status, err, body)
	}
	return os.WriteFile(path, body, 0o600)
}
