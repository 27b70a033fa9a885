package postgres

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// explainGeneric returns the plan that a prepared statement has for all
// arguments.
func explainGeneric(t *testing.T, db *sqlx.DB, query string, args []any) plan {
	t.Helper()
	exec(t, db, `SET plan_cache_mode = force_generic_plan`)
	exec(t, db, `PREPARE generic AS `+query)
	literals := make([]string, len(args))
	for i, arg := range args {
		if valuer, ok := arg.(driver.Valuer); ok {
			var err error
			if arg, err = valuer.Value(); err != nil {
				t.Fatal(err)
			}
		}
		switch arg := arg.(type) {
		case nil:
			literals[i] = "NULL"
		case time.Time:
			literals[i] = pq.QuoteLiteral(arg.Format(time.RFC3339Nano))
		case []byte:
			literals[i] = pq.QuoteLiteral(`\x` + hex.EncodeToString(arg))
		default:
			literals[i] = pq.QuoteLiteral(fmt.Sprint(arg))
		}
	}
	execute := "EXECUTE generic"
	if len(args) > 0 {
		execute += "(" + strings.Join(literals, ", ") + ")"
	}
	p := explain(t, db, execute, nil)
	exec(t, db, `DEALLOCATE generic; RESET plan_cache_mode`)
	return p
}

func explain(t *testing.T, db *sqlx.DB, query string, args []any) plan {
	t.Helper()
	var text string
	if err := db.GetContext(t.Context(), &text, "EXPLAIN (FORMAT JSON) "+query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan
}

type plan struct {
	NodeType  string `json:"Node Type"`
	Relation  string `json:"Relation Name"`
	IndexName string `json:"Index Name"`
	IndexCond string `json:"Index Cond"`
	Filter    string
	Plans     []plan
}

// find returns the first node of a type or with an index, or nil.
func (p plan) find(name string) *plan {
	if p.NodeType == name || p.IndexName == name {
		return &p
	}
	for _, inner := range p.Plans {
		if found := inner.find(name); found != nil {
			return found
		}
	}
	return nil
}

// searches reports whether an index is searched by a condition that has the text.
func (p plan) searches(text string) bool {
	return strings.Contains(p.IndexCond, text) ||
		slices.ContainsFunc(p.Plans, func(inner plan) bool { return inner.searches(text) })
}

func (p plan) check(t *testing.T, query string) {
	t.Helper()
	if p.NodeType == "Seq Scan" && p.Relation != "goose_db_version" { // which has few rows
		t.Errorf("%s: sequential scan of %s", query, p.Relation)
	}
	within := "organization_id = "
	switch {
	case query == "organizations_with_outbox", query == "organizations_to_visit":
		within = "organization_id > " // they go from one organization to the next
	case query == "endpoints_with_deliveries" && p.IndexName == "webhook_deliveries_due":
		within = "ROW(organization_id, endpoint_id) > " // it goes from one endpoint to the next
	case p.IndexName == "webhook_deliveries_overdue":
		within = "due_at <= " // of all organizations: some that are due, and how many for the metric
	case p.IndexName == "jobs_claimable":
		within = "claimable_at <= " // likewise
	case p.IndexName == "jobs_turns":
		within = "turn " // it goes from one organization to the next
	}
	if p.IndexName != "" && !strings.Contains(p.IndexCond, within) {
		t.Errorf("%s: %s is searched by %q", query, p.IndexName, p.IndexCond)
	}
	for _, inner := range p.Plans {
		inner.check(t, query)
	}
}

// checkFilters reports filters that take time for each row and each element of an array.
func (p plan) checkFilters(t *testing.T, query string) {
	t.Helper()
	if strings.Contains(p.Filter, "= ANY ($") && p.Relation != "goose_db_version" {
		t.Errorf("%s: each row of %s is compared with each element: %s", query, p.Relation, p.Filter)
	}
	for _, inner := range p.Plans {
		inner.checkFilters(t, query)
	}
}
