package main

import (
	"embed"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/pages"
)

// The paths of the pages, which coldchain.caddy names.
const (
	pagesPath  = "/temperatures"
	staticPath = "/static/coldchain/"
)

//go:embed templates
var templates embed.FS

// list is the data of templates/list.html.
type list struct {
	pages.Frame

	Rows []reading
}

type reading struct{ Shipment, Temperature string }

// addPages adds the page of an organization's temperatures.
func addPages(routes interface{ Handle(string, http.Handler) }) error {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		return err
	}
	set, err := pages.New(files, staticPath, nil)
	if err != nil {
		return err
	}
	definitions, err := filepath.Glob(os.Getenv("SERVICE_DEFINITIONS"))
	if err != nil {
		return err
	}
	sections, err := pages.ReadSections(definitions...)
	if err != nil {
		return err
	}
	show := func(w http.ResponseWriter, r *http.Request, id assertion.Identity) {
		if r.PathValue("org") != id.Organization { // the path without one leads to the organization that the gateway chose
			http.Redirect(w, r, pagesPath+"/"+id.Organization, http.StatusSeeOther)
			return
		}
		page := list{Frame: pages.Frame{
			Title: "Temperatures", Account: &pages.Account{Name: id.UserName},
			Organization: &pages.Organization{Name: id.OrganizationName},
			Tabs:         sections.Of(id.Organization, r.URL.Path, id.Permissions),
		}}
		for key, body := range temperatures.All() {
			if path, ok := strings.CutPrefix(key, id.Organization+"/api/v1/shipments/"); ok {
				shipment, _, _ := strings.Cut(path, "/")
				page.Rows = append(page.Rows, reading{shipment, string(body)})
			}
		}
		if err := set.Write(w, http.StatusOK, "list", page); err != nil {
			log.Print(err)
		}
	}
	guarded := pages.Harden(servicekit.Require("temperatures:read", show), false)
	routes.Handle("GET "+pagesPath, guarded)
	routes.Handle("GET "+pagesPath+"/{org}", guarded)
	routes.Handle("GET "+staticPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		set.ServeStatic(w, r, func(status int) { http.Error(w, http.StatusText(status), status) })
	}))
	return nil
}
