package pages

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Section is a section of an organization. Its pages lie at its path and below.
type Section struct {
	Text       string `json:"text"`
	Path       string `json:"path"`                 // with {org}: "/shipments/{org}"
	Permission string `json:"permission,omitempty"` // that a person needs to see it; "": none
}

// Sections are those of all services of a product, in their order.
type Sections []Section

//go:embed sections.json
var ownSections []byte

// ReadSections returns the sections of the product's own services, and before the last of them those of further
// services: the member sections of the files that define them. Their other members are not read.
func ReadSections(files ...string) (Sections, error) {
	var all Sections
	if err := json.Unmarshal(ownSections, &all); err != nil {
		return nil, fmt.Errorf("sections: %w", err)
	}
	for _, file := range files {
		further, err := readSections(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = slices.Insert(all, len(all)-1, further...)
	}
	return all, nil
}

func readSections(file string) (Sections, error) {
	content, err := os.ReadFile(file) //nolint:gosec // G304: the operator's choice
	if err != nil {
		return nil, err
	}
	var service struct{ Sections Sections }
	if err := json.Unmarshal(content, &service); err != nil {
		return nil, err
	}
	for i, section := range service.Sections {
		if section.Text == "" || !strings.HasPrefix(section.Path, "/") || !strings.Contains(section.Path, "/{org}") {
			return nil, fmt.Errorf("section %d must have a text, and a path with {org} such as /temperatures/{org}",
				i+1)
		}
	}
	return service.Sections, nil
}

// Of returns the sections of an organization that a person with these permissions may see. The one at or above the path
// of the page is current.
func (all Sections) Of(org, path string, permissions []string) (links []Link) {
	for _, section := range all {
		if section.Permission == "" || slices.Contains(permissions, section.Permission) {
			to := strings.ReplaceAll(section.Path, "{org}", org)
			links = append(links, Link{section.Text, to, path == to || strings.HasPrefix(path, to+"/")})
		}
	}
	return links
}
