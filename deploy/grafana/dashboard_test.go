// Package grafana generates the Grafana dashboards in dashboards, which Grafana
// provisions from files:
//
//	go test ./grafana -update
package grafana

import (
	"encoding/json"
	"fmt"
)

// Dashboard is a dashboard of panels, laid out in rows of three.
type Dashboard struct {
	Name   string // of its file, and the end of its uid
	Title  string
	Panels []Panel
}

// Panel is a graph of queries over time.
type Panel struct {
	Title   string
	Unit    string // of Grafana
	Note    string // shown beside the title
	Queries []Query
}

// Query is a PromQL expression and the legend of its series.
type Query struct{ Expr, Legend string }

const (
	schemaVersion = 39 // of Grafana 11; later ones migrate it when they load it
	columns       = 3
	width, height = 24 / columns, 8 // the grid of Grafana has 24 columns
)

// object is an object of JSON.
type object map[string]any

// datasource refers to the variable with which a viewer chooses the Prometheus.
var datasource = object{"type": "prometheus", "uid": "${datasource}"}

// JSON returns the dashboard as Grafana reads it.
func (d Dashboard) JSON() ([]byte, error) {
	text, err := json.Marshal(object{
		"uid": "quayside-" + d.Name, "title": d.Title, "tags": []string{"quayside"},
		"schemaVersion": schemaVersion, "editable": false, "refresh": "30s", "timezone": "browser",
		"time": object{"from": "now-3h", "to": "now"},
		"templating": object{"list": []object{
			{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
		}},
		"links": []object{{
			"title": "Quayside", "type": "dashboards", "tags": []string{"quayside"}, "icon": "external link", "tooltip": "",
			"asDropdown": false, "includeVars": true, "keepTime": true, "targetBlank": false,
		}},
	})
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], `,"panels":[`...) // a line each
	for i, p := range d.Panels {
		panel, err := json.Marshal(p.object(i))
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, '\n'), panel...)
	}
	return append(text, "\n]}\n"...), nil
}

func (p Panel) object(i int) object {
	targets := make([]object, len(p.Queries))
	for n, q := range p.Queries {
		targets[n] = object{"refId": fmt.Sprintf("%c", 'A'+n), "datasource": datasource, "expr": q.Expr, "legendFormat": q.Legend}
	}
	return object{
		"id": i + 1, "type": "timeseries", "title": p.Title, "description": p.Note, "datasource": datasource,
		"gridPos":     object{"x": i % columns * width, "y": i / columns * height, "w": width, "h": height},
		"fieldConfig": object{"defaults": object{"unit": p.Unit, "min": 0}, "overrides": []object{}},
		"options":     object{"tooltip": object{"mode": "multi", "sort": "desc"}},
		"targets":     targets,
	}
}
