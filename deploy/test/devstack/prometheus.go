package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// startPrometheus starts a Prometheus that scrapes every program and evaluates
// the rules of deploy/monitoring.
func (s *Stack) startPrometheus(ctx context.Context) error {
	if err := install(ctx, s.opts.Log, "prometheus"); errors.Is(err, errCannotInstall) {
		return errors.New("OBSERVE=1 needs Prometheus. On Debian: sudo apt-get install prometheus. " +
			"On macOS: brew install prometheus")
	} else if err != nil {
		return err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.opts.Dir, "prometheus")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, []byte(s.prometheusConfig()), 0o600); err != nil {
		return err
	}
	//nolint:gosec,noctx // G204: our own arguments; stopped by Close
	running, err := StartProcess("prometheus", s.LogDir(), exec.Command("prometheus",
		"--config.file", config, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address))
	if err != nil {
		return err
	}
	s.onClose(running.Stop)
	s.PrometheusURL = "http://" + address
	s.say("prometheus %s", s.PrometheusURL)
	return running.Await(ctx, func() error { return answers(ctx, s.PrometheusURL+"/-/ready") })
}

// prometheusConfig has a job for each kind of program, with all its replicas.
func (s *Stack) prometheusConfig() string {
	targets := map[string][]string{}
	for _, p := range s.programs {
		job := filepath.Base(p.Command[0])
		targets[job] = append(targets[job], p.Inner)
	}
	var config strings.Builder
	_, _ = fmt.Fprintf(&config, "global: {scrape_interval: 5s, evaluation_interval: 5s}\n"+
		"rule_files: [%q]\nscrape_configs:\n",
		filepath.Join(s.opts.Root, "deploy", "monitoring", "rules", "*.yml"))
	for job, addresses := range targets {
		_, _ = fmt.Fprintf(&config, "  - {job_name: %q, static_configs: [{targets: [%s]}]}\n", job,
			strings.Join(addresses, ", "))
	}
	return config.String()
}
