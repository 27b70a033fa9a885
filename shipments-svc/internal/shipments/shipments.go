// Package shipments is the domain: shipments of produce, the rules that hold
// for them, the Service that applies the rules and the Repository it needs.
//
// Guarantees: every method that reads or writes names the organization for
// which it does so, and nothing of another organization is ever returned or
// changed; what breaks a rule is refused whole, with all its faults at once;
// times carry milliseconds, so that what is shown is what lists are ordered by.
//
// JSON tags are those of the stored form, where the API does not show the type itself.
//
// It imports the standard library and packages that know no technology only, among them the types of a packing list
// (package list), which are also those of its pallets. Texts reach it in Unicode's
// normalization form C and without space around them: packages that read input
// normalize them.
package shipments

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// UUID identifies one of a kind of things. Newer ones sort higher.
type UUID[Thing any] [16]byte

type (
	// OrgID identifies the partition of an organization whose data is meant: its live or its test data.
	OrgID = UUID[struct{}]
	// ID identifies a shipment within its organization, as the others do their things.
	ID = UUID[Shipment]
	// DocumentID identifies a document.
	DocumentID = UUID[Document]
	// TemplateID identifies a template.
	TemplateID = UUID[Template]
	// EventID identifies an event.
	EventID = UUID[Event]
)

// MarshalText implements encoding.TextMarshaler.
func (id UUID[Thing]) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler, of a UUID.
func (id *UUID[Thing]) UnmarshalText(text []byte) error {
	digits := bytes.ReplaceAll(text, []byte("-"), nil)
	if len(digits) != hex.EncodedLen(len(id)) {
		return fmt.Errorf("%q is not a UUID", text)
	}
	_, err := hex.Decode(id[:], digits)
	return err
}

// Organization is what shares are keyed by, so that its two partitions have one between them.
type Organization OrgID

// OrganizationOf returns the organization of a partition. The ids of its two partitions differ in the first three
// bits: org_0… has live data, and org_7… test data.
func OrganizationOf(partition OrgID) Organization {
	partition[0] &= 0x1f
	return Organization(partition)
}

// TestPartition returns the partition of an organization's test data.
func TestPartition(org Organization) OrgID {
	org[0] |= 0xe0
	return OrgID(org)
}

// Status is where a shipment stands.
type Status string

// The statuses of a shipment.
const (
	Pending        Status = "pending"          // created, without pallets
	Processing     Status = "processing"       // its documents are being read
	ReadyForReview Status = "ready_for_review" // a person can decide
	Approved       Status = "approved"         // final
	Rejected       Status = "rejected"
)

// Statuses lists every Status in the order in which a shipment meets them.
var Statuses = []Status{Pending, Processing, ReadyForReview, Approved, Rejected}

// Result is the outcome of a check.
type Result string

// The outcomes of a check.
const (
	Pass Result = "pass"
	Warn Result = "warn" // worth a look, no obstacle
	Fail Result = "fail"
	Skip Result = "skip" // could not be made
)

// Results lists every Result.
var Results = []Result{Pass, Warn, Fail, Skip}

// Shipment is one shipment without its parts.
type Shipment struct {
	ID ID `json:"id"`
	Draft
	Status       Status    `json:"status"`
	Version      int64     `json:"version"` // 1 at first, more with every change of the shipment or its parts
	PalletsCount int       `json:"pallets_count"`
	Containers   string    `json:"containers"` // numbers that its documents name, to be searched
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`           // when Version was made
	ApprovedAt   time.Time `json:"approved_at,omitzero"` // zero unless Status is Approved
}

// Head is a shipment without its parts, and whether it may be deleted.
type Head struct {
	Shipment
	Documents int  `json:"documents"` // how many it has that did not fail
	Decided   bool `json:"decided"`   // it was approved or rejected at some time
}

// Detail is a shipment with its parts, each list in the order it was given.
type Detail struct {
	Shipment
	Pallets   []Pallet   `json:"pallets"`
	Checks    []Check    `json:"checks"`
	Documents []Document `json:"documents"` // in the order in which they were attached
	Bytes     int64      `json:"bytes"`     // that the parts have in the database, about
}

// Parts are the parts of a shipment that are read.
type Parts struct {
	// Pallets is the bound in bytes within which pallets are read, and facts and remarks of all documents. Zero: none.
	Pallets int64
	// Document is one whose pallets are not read, and whose facts and remarks are.
	Document DocumentID

	admitted bool // the memory for them was acquired before
}

// Check is the result of one check.
type Check struct {
	Name    string `json:"name"`
	Result  Result `json:"result"`
	Details string `json:"details"` // for people
	Count   int    `json:"count"`   // how many things were found; 0 where nothing was
	// Locations is where they are, at most MaxLocations of them.
	Locations []Location `json:"locations,omitempty"`
	// Suggestions are texts that the shipment could have instead, so that it agrees with its documents.
	Suggestions []Suggestion `json:"suggestions,omitempty"`
}

// Suggestion is a value for a text of the shipment.
type Suggestion struct {
	Field    string       `json:"field"`         // the name of a TextField
	Value    string       `json:"value"`         // that the text may have
	Document DocumentType `json:"document_type"` // of those that state it
}

// Location is where a check found something.
type Location struct {
	Source
	PalletNumber string `json:"pallet_number"`
}

// Page and size bounds of a list.
const (
	DefaultPerPage = 25
	MaxPerPage     = 100
)

// Filter selects shipments of an organization: those that meet
// all of its fields. The zero Filter means every one.
type Filter struct {
	// Search has words that are parts of the reference, the vessel, the voyage, a place or a container, in any case, or
	// is the beginning of the number of a pallet. Empty: any.
	Search        string
	Texts         Draft      // those of FilterFields, compared as each says; empty: any
	Status        Status     // empty: any
	CheckResult   Result     // of one check at least; empty: any, or no checks
	CreatedAfter  *time.Time // strictly later than this; nil: ever
	CreatedBefore *time.Time // strictly earlier than this; nil: ever
	UpdatedAfter  *time.Time // strictly later than this; nil: ever
}

// Bounds of a search. Fewer characters have no trigram, and more matches are no help.
const (
	MinSearch  = 3   // code points
	MaxSearch  = 100 // code points
	MaxMatches = 10_000
)

// ErrTooBroad means that a search matches more than MaxMatches.
var ErrTooBroad = errors.New("too many shipments match")

// Sort is the order of a list by a field. The zero Sort is that of Page.
type Sort struct {
	By      string // one of Sorts
	Reverse bool   // the highest first
}

// Sorts are what lists are sorted by.
var Sorts = []string{"reference", "vessel", "destination", "created", "updated"}

// Tally is how many checks of a shipment have a result.
type Tally struct {
	Fail int `json:"fail"`
	Warn int `json:"warn"`
	Pass int `json:"pass"`
}

// Query selects a part of an organization's shipments.
type Query struct {
	Filter
	Sort
	Page    int64 // from 1; 0 means 1
	PerPage int64 // from 1; 0 means DefaultPerPage, more than MaxPerPage means that
}

// Page is one page of a list. Shipments are the newest first, of the same instant the higher ID
// first; entries of a history the latest change first.
type Page[Element any] struct {
	Elements []Element
	Paging
}

// Paging is the position of a page in a list.
type Paging struct {
	Page    int64 `json:"page"`     // effective
	PerPage int64 `json:"per_page"` // effective
	Total   int64 `json:"total"`    // of all pages, at the instant that the page shows
}
