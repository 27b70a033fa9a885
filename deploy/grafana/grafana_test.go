package grafana

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the dashboards")

func TestDashboardsAreGenerated(t *testing.T) {
	t.Parallel()
	for _, d := range dashboards {
		want, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("dashboards", d.Name+".json")
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what dashboards_test.go describes: go test ./grafana -update (%v)", path, err)
		}
	}
	if files, err := filepath.Glob("dashboards/*"); err != nil || len(files) != len(dashboards) {
		t.Errorf("files are %q, %v", files, err)
	}
}

// TestDashboardsAreComplete: what Grafana needs to load a dashboard from a file and
// to find its data source. Grafana itself ignores unknown and missing fields.
func TestDashboardsAreComplete(t *testing.T) {
	t.Parallel()
	uids := map[string]bool{}
	for _, d := range dashboards {
		var read struct {
			UID           string
			Title         string
			SchemaVersion int
			Templating    struct {
				List []struct{ Name, Type, Query string }
			}
			Panels []struct {
				ID          int
				Type, Title string
				GridPos     struct{ X, Y, W, H int }
				Datasource  struct{ Type, UID string }
				Targets     []struct {
					RefID, Expr, LegendFormat string
					Datasource                struct{ Type, UID string }
				}
			}
		}
		text, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if uids[read.UID] || len(read.UID) > 40 || read.Title == "" || read.SchemaVersion < 36 {
			t.Errorf("uid %q, title %q, schemaVersion %d", read.UID, read.Title, read.SchemaVersion)
		}
		uids[read.UID] = true
		if v := read.Templating.List; len(v) != 1 || v[0].Name != "datasource" || v[0].Type != "datasource" || v[0].Query != "prometheus" {
			t.Errorf("%s: variables are %+v", d.Name, v)
		}
		titles := map[string]bool{}
		for i, p := range read.Panels {
			if p.ID != i+1 || p.Type != "timeseries" || p.Title == "" || titles[p.Title] || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
				t.Errorf("%s: %+v", d.Name, p)
			}
			titles[p.Title] = true
			if g := p.GridPos; g.W == 0 || g.H == 0 || g.X+g.W > 24 || g.X != i%columns*width || g.Y != i/columns*height {
				t.Errorf("%s: %s is at %+v", d.Name, p.Title, g)
			}
			refs := map[string]bool{}
			for _, q := range p.Targets {
				if refs[q.RefID] || q.RefID == "" || q.Expr == "" || q.LegendFormat == "" || q.Datasource != p.Datasource {
					t.Errorf("%s: %s: %+v", d.Name, p.Title, q)
				}
				refs[q.RefID] = true
			}
		}
	}
}
