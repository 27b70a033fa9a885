package grafana

// dashboards are an overview and one dashboard for each program.
var dashboards = []Dashboard{
	{Name: "overview", Title: "Quayside: overview", Panels: []Panel{
		{"Requests by status", "reqps", "", []Query{{`sum by (status) (rate(quayside_gateway_request_seconds_count[$__rate_interval]))`, "{{status}}"}}},
		{"Requests that miss an objective", "percentunit", "Allowed are 0.1 % for availability and 1 % for latency.", []Query{{`quayside:slo_errors:ratio_rate5m`, "{{slo}}, 5 m"}, {`quayside:slo_errors:ratio_rate1h`, "{{slo}}, 1 h"}}},
		{"Error budget used in 3 days", "percentunit", "1 uses the budget of 30 days up in 30 days.", []Query{{`quayside:slo_errors:ratio_rate3d{slo="availability"} / 0.001`, "{{slo}}"}, {`quayside:slo_errors:ratio_rate3d{slo="latency"} / 0.01`, "{{slo}}"}}},
		{"Duration of successful requests", "s", "Without document routes and Prefer: wait.", []Query{gatewayQuantile("0.5"), gatewayQuantile("0.99")}},
		{"Firing alerts", "short", "", []Query{{`sum by (alertname, severity) (ALERTS{alertstate="firing"})`, "{{alertname}} ({{severity}})"}}},
		{"Dependencies in an outage", "short", "1 during an outage.", []Query{
			{`max by (job, name) (quayside_shipments_outage or quayside_tokens_outage)`, "{{name}} ({{job}})"},
			{`max(quayside_gateway_redis_circuit_breaker_open)`, "Redis (gateway)"},
			{`max(quayside_gateway_degraded)`, "introspection (gateway)"},
			{`1 - min(quayside_gateway_change_stream_connected)`, "change stream (gateway)"},
		}},
		{"Instances", "short", "", []Query{{`sum by (job) (up)`, "{{job}}"}}},
		{"CPU", "short", "Cores in use.", []Query{{`sum by (job) (rate(process_cpu_seconds_total[$__rate_interval]))`, "{{job}}"}}},
		{"Memory", "bytes", "The largest instance.", []Query{{`max by (job) (process_resident_memory_bytes)`, "{{job}}"}}},
		{"Versions", "short", "Instances by version.", []Query{{`count by (job, version) (quayside_build_info)`, "{{job}} {{version}}"}}},
		{"Log lines dropped", "cps", "", []Query{{`sum by (job) (rate({__name__=~"quayside_.*_log_lines_dropped_total"}[$__rate_interval]))`, "{{job}}"}}},
	}},
	{Name: "gateway", Title: "Quayside: gateway", Panels: []Panel{
		{"Requests by outcome", "reqps", "Forwarded, or the code of the gateway's own response.", []Query{{`sum by (outcome) (rate(quayside_gateway_requests_total[$__rate_interval]))`, "{{outcome}}"}}},
		{"Duration of successful requests", "s", "Without document routes and Prefer: wait.", []Query{gatewayQuantile("0.5"), gatewayQuantile("0.99")}},
		{"Duration by kind, p99", "s", "transfer: document routes; wait: Prefer: wait.", []Query{{`histogram_quantile(0.99, sum by (kind, le) (rate(quayside_gateway_request_seconds_bucket[$__rate_interval])))`, "{{kind}}"}}},
		{"Window decisions", "reqps", "", []Query{{`sum by (window, decision, source) (rate(quayside_gateway_window_decisions_total[$__rate_interval]))`, "{{window}} {{decision}} ({{source}})"}}},
		{"Introspections by source", "reqps", "", []Query{{`sum by (source) (rate(quayside_gateway_introspection_seconds_count[$__rate_interval]))`, "{{source}}"}}},
		{"Introspection, p99", "s", "", []Query{quantile("0.99", "quayside_gateway_introspection_seconds_bucket", "source")}},
		{"Flushes to Redis, p99", "s", "", []Query{quantile("0.99", "quayside_gateway_window_flush_seconds_bucket", "instance")}},
		{"Requests in a flush to Redis", "short", "The mean.", []Query{{`rate(quayside_gateway_window_flush_requests_sum[$__rate_interval]) / rate(quayside_gateway_window_flush_requests_count[$__rate_interval])`, "{{instance}}"}}},
		{"Redis", "short", "Circuit breaker: 1 while windows are decided without Redis. Clock skew in seconds.", []Query{{`quayside_gateway_redis_circuit_breaker_open`, "circuit breaker, {{instance}}"}, {`abs(quayside_gateway_redis_clock_skew_seconds)`, "clock skew, {{instance}}"}}},
		{"Addresses of services", "short", "", []Query{{`sum by (service, state) (quayside_gateway_upstream_addresses)`, "{{service}} {{state}}"}}},
		{"Failures of services", "reqps", "", []Query{{`sum by (service, code) (rate(quayside_gateway_upstream_failures_total[$__rate_interval]))`, "{{service}} {{code}}"}}},
		{"Retries and ejections", "cps", "", []Query{{`sum by (service) (rate(quayside_gateway_upstream_retries_total[$__rate_interval]))`, "retries, {{service}}"}, {`sum by (service) (rate(quayside_gateway_upstream_ejections_total[$__rate_interval]))`, "ejections, {{service}}"}}},
		{"Age of the last heartbeat of the change stream", "s", "A revocation may be that old before this gateway refuses the token, 10 s at most.", []Query{{`quayside_gateway_revocation_lag_seconds`, "{{instance}}"}}},
		{"Usage reports", "cps", "", []Query{{`sum by (outcome) (rate(quayside_gateway_usage_batches_total[$__rate_interval]))`, "{{outcome}}"}, {`sum(rate(quayside_gateway_usage_requests_lost_total[$__rate_interval]))`, "requests lost"}}},
		{"Goroutines", "short", "", []Query{{`go_goroutines{job="gateway"}`, "{{instance}}"}}},
	}},
	{Name: "shipments-svc", Title: "Quayside: shipments-svc", Panels: append(service("shipments-svc", "quayside_shipments"), []Panel{
		{"Problems", "reqps", "", []Query{{`sum by (operation, code) (rate(quayside_shipments_problems_total[$__rate_interval]))`, "{{operation}} {{code}}"}}},
		{"Documents read", "cps", "published: read; returned: to be tried again; lost: superseded.", []Query{{`sum by (outcome) (rate(quayside_shipments_job_seconds_count[$__rate_interval]))`, "{{outcome}}"}}},
		{"Reading a document, p95", "s", "", []Query{quantile("0.95", "quayside_shipments_job_seconds_bucket", "outcome")}},
		{"Longest wait of a document for a worker", "s", "", []Query{{`max(quayside_shipments_documents_waiting_seconds)`, "all replicas"}}},
		{"Stored files without a document", "short", "", []Query{{`max(quayside_shipments_files_quarantined)`, "in quarantine"}, {`max(quayside_shipments_files_sweep_refused)`, "sweep refused"}}},
		{"Events numbered", "cps", "", []Query{{`sum(rate(quayside_shipments_events_numbered_total[$__rate_interval]))`, "events"}}},
		{"Delay of events, p99", "s", "", []Query{quantile("0.99", "quayside_shipments_event_lag_seconds_bucket", "job")}},
		{"Organizations whose events fail", "short", "", []Query{{`max by (work) (quayside_shipments_event_organizations_failing)`, "{{work}}"}}},
		{"Webhooks due", "short", "", []Query{{`max(quayside_shipments_webhooks_due)`, "all replicas"}}},
		{"Webhook attempts", "cps", "", []Query{{`sum by (outcome) (rate(quayside_shipments_webhook_attempt_seconds_count[$__rate_interval]))`, "{{outcome}}"}}},
		{"Lists read from a replica of Postgres", "reqps", "", []Query{{`sum(rate(quayside_shipments_lists_from_replica_total[$__rate_interval]))`, "lists"}}},
	}...)},
	{Name: "tokens-svc", Title: "Quayside: tokens-svc", Panels: append(service("tokens-svc", "quayside_tokens"), []Panel{
		{"Introspections", "reqps", "", []Query{{`sum by (result) (rate(quayside_tokens_introspections_total[$__rate_interval]))`, "{{result}}"}}},
		{"Gateways that follow changes", "short", "", []Query{{`sum(quayside_tokens_change_streams)`, "streams"}}},
		{"Live tokens by pepper version", "short", "A pepper may be removed when no token needs it.", []Query{{`max by (pepper_version) (quayside_tokens_live_tokens)`, "{{pepper_version}}"}}},
	}...)},
}

func quantile(q, buckets, by string) Query {
	return Query{`histogram_quantile(` + q + `, sum by (` + by + `, le) (rate(` + buckets + `[$__rate_interval])))`, "{{" + by + "}}"}
}

func gatewayQuantile(q string) Query {
	return Query{`histogram_quantile(` + q + `, sum by (le) (rate(quayside_gateway_request_seconds_bucket{kind="request",status=~"2xx|3xx"}[$__rate_interval])))`, "quantile " + q}
}

// service returns the panels of each service: a job of Prometheus, and the
// prefix of its metrics.
func service(job, prefix string) []Panel {
	in := `{job="` + job + `"}`
	return []Panel{
		{"Requests by route", "reqps", "", []Query{{`sum by (method, route) (rate(` + prefix + `_request_seconds_count[$__rate_interval]))`, "{{method}} {{route}}"}}},
		{"Duration by route, p99", "s", "", []Query{quantile("0.99", prefix+"_request_seconds_bucket", "route")}},
		{"Requests by status", "reqps", "", []Query{{`sum by (code) (rate(` + prefix + `_request_seconds_count[$__rate_interval]))`, "{{code}}"}}},
		{"Outages", "short", "1 during an outage.", []Query{{`max by (name) (` + prefix + `_outage)`, "{{name}}"}}},
		{"Connections to Postgres", "short", "In use, and the most of a pool.", []Query{{`sum by (db_name) (go_sql_in_use_connections` + in + `)`, "{{db_name}} in use"}, {`sum by (db_name) (go_sql_max_open_connections` + in + `)`, "{{db_name}} at most"}}},
		{"Waiting for a connection to Postgres", "s", "Seconds waited in a second.", []Query{{`sum by (db_name) (rate(go_sql_wait_duration_seconds_total` + in + `[$__rate_interval]))`, "{{db_name}}"}}},
		{"CPU", "short", "Cores in use.", []Query{{`rate(process_cpu_seconds_total` + in + `[$__rate_interval])`, "{{instance}}"}}},
		{"Memory", "bytes", "", []Query{{`process_resident_memory_bytes` + in, "{{instance}}"}}},
		{"Goroutines", "short", "", []Query{{`go_goroutines` + in, "{{instance}}"}}},
	}
}
