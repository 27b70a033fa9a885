package shipments

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

var job = Job{Org: OrgID{1}, Document: DocumentID{1}, Run: 2, Attempt: 1, Lease: Lease{7}}

// reading returns a fakeRepository of a shipment whose packing list is being read, the
// second time, beside another document's pallet.
func reading() *fakeRepository {
	k := at(Processing)
	k.documents = []Document{
		{ID: DocumentID{1}, Type: PackingList, Kind: CSV, Status: BeingRead, Run: 2, PalletsExtracted: 1},
		{ID: DocumentID{2}, Status: Processed},
	}
	old, other := plum, plum
	old.Source, other.Source = Source{Document: DocumentID{1}, Row: 9}, Source{Document: DocumentID{2}, Row: 1}
	k.pallets, k.head.PalletsCount = []Pallet{old, other}, 2
	return k
}

func TestPublishReplacesTheEarlierPallets(t *testing.T) {
	t.Parallel()
	k := reading()
	read := Reading{
		Pallets: []Pallet{
			{Number: "1", Source: Source{Row: 4, Sheet: "PL"}},
			{Number: "2", Source: Source{Row: 5, Sheet: "PL"}},
		},
		RowsRead: 2, Declared: list.Declared{Boxes: 7}, Facts: []list.Fact{{Kind: list.VesselFact, Text: "MSC Carmen"}},
		Remarks: []list.Remark{{Code: "row_skipped"}},
	}
	if err := service(k).Publish(t.Context(), job, read, nil); err != nil {
		t.Fatal(err)
	}
	r := k.revisions[0]
	doc := *r.Document
	if doc.Status != Processed || doc.PalletsExtracted != 2 || doc.RowsRead != 2 || doc.Declared.Boxes != 7 ||
		len(doc.Facts) != 1 ||
		len(doc.Remarks) != 1 ||
		doc.ProcessedAt.IsZero() {
		t.Errorf("%+v", doc)
	}
	if r.To.Status != ReadyForReview || r.To.PalletsCount != 3 || r.Lease != job.Lease ||
		r.Entry.Action != ProcessDocument ||
		r.Entry.By != (Actor{}) ||
		r.Entry.Document != doc.ID {
		t.Errorf("%+v", r)
	}
	if len(r.Pallets) != 2 || r.Pallets[1].Source != (Source{Document: doc.ID, Sheet: "PL", Row: 5}) ||
		len(k.evidence.Pallets) != 3 ||
		k.evidence.Documents[0].RowsRead != 2 {
		t.Errorf("%+v, checked with %+v", r.Pallets, k.evidence)
	}
}

func TestAnUnreadableListFailsAndHasNoPallets(t *testing.T) {
	t.Parallel()
	unread := &UnreadableError{Failure: Failure{"no_header_row", "There is no header row."}}
	for name, c := range map[string]struct {
		read   Reading
		unread error
		code   string
	}{
		"unreadable": {Reading{Facts: []list.Fact{{Kind: list.VesselFact, Text: "x"}}}, unread, "no_header_row"},
		"malformed":  {Reading{Pallets: []Pallet{{Number: "a\x00b", Source: Source{Row: 1}}}}, nil, "malformed"},
		"a bad mapping": {
			Reading{Mappings: []list.Mapping{{Columns: []list.Column{{Heading: "a\x00b"}}}}}, nil, "malformed",
		},
		"a negative number": {Reading{Pallets: []Pallet{{Boxes: -1}}}, nil, "malformed"},
		"too many":          {Reading{Pallets: repeated(list.MaxPallets)}, nil, "too_many_pallets"},
	} {
		k := reading()
		k.pallets = k.pallets[1:]
		if err := service(k).Publish(t.Context(), job, c.read, c.unread); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := k.revisions[0]
		if r.Document.Status != Failed || r.Document.Failure.Code != c.code || r.Document.PalletsExtracted != 0 ||
			r.Pallets != nil ||
			r.To.PalletsCount != 1 ||
			r.Entry.Action != FailDocument {
			t.Errorf("%s: %+v", name, r)
		}
	}
	k := reading()
	k.documents, k.pallets = k.documents[:1], k.pallets[:1]
	err := service(k).Publish(t.Context(), job, Reading{}, unread)
	if err != nil || k.revisions[0].To.Status != Pending {
		t.Errorf("without pallets: %v, %+v", err, k.revisions)
	}
}

// TestWhatWasReadStaysUntilReadingCameToAnEnd: a process that was killed says nothing about the file.
func TestWhatWasReadStaysUntilReadingCameToAnEnd(t *testing.T) {
	t.Parallel()
	killed := &UnreadableError{Interrupted: true, Failure: Failure{"unreadable", "The program failed twice."}}
	for extracted, want := range []DocumentStatus{Failed, Processed} {
		k := reading()
		if extracted == 0 {
			k.pallets = k.pallets[1:]
		}
		k.documents[0].Remarks = []list.Remark{{Code: "unreadable"}, {Code: "row_skipped"}}
		k.documents[0].Given = []Assignment{{Keep: &Template{Name: "Hass"}}}
		if err := service(k).Publish(t.Context(), job, Reading{}, killed); err != nil {
			t.Fatal(err)
		}
		r := k.revisions[0]
		if doc := r.Document; doc.Status != want || r.Kept != (extracted > 0) || r.Pallets != nil ||
			r.To.PalletsCount != 1+extracted ||
			k.templates != nil || doc.PalletsExtracted != extracted || len(doc.Remarks) != 2*extracted {
			t.Errorf("%+v", r)
		}
	}
}

func repeated(n int) []Pallet {
	all := make([]Pallet, n)
	for i := range all {
		all[i].Source.Row = i + 1
	}
	return all
}

// TestOtherDocumentsNeverFail: that one cannot be read is a remark.
func TestOtherDocumentsNeverFail(t *testing.T) {
	t.Parallel()
	k := reading()
	k.documents[0].Type = PhytosanitaryCertificate
	read := Reading{Pallets: repeated(1), Facts: []list.Fact{{Kind: list.PhytoFact, Text: "ZA 1"}}}
	if err := service(k).Publish(t.Context(), job, read,
		&UnreadableError{Failure: Failure{"no_pallets", "There are no pallets."}}); err != nil {
		t.Fatal(err)
	}
	doc := *k.revisions[0].Document
	if doc.Status != Processed || len(doc.Facts) != 1 || doc.Remarks[0].Code != "no_pallets" ||
		k.revisions[0].Pallets != nil {
		t.Errorf("%+v", doc)
	}
}

// TestNothingIsPublishedTwiceOrOverSomethingNewer: a lost job gives ErrLost.
func TestNothingIsPublishedTwiceOrOverSomethingNewer(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fakeRepository){
		"a newer run":       func(k *fakeRepository) { k.documents[0].Run = 3 },
		"published already": func(k *fakeRepository) { k.documents[0].Status = Processed },
		"the document gone": func(k *fakeRepository) { k.documents = k.documents[1:] },
		"the shipment gone": func(k *fakeRepository) { k.err = ErrNotFound },
		"another's lease":   func(k *fakeRepository) { k.revising = ErrLost },
		"an approved one":   func(k *fakeRepository) { k.head.Status = Approved },
	} {
		k := reading()
		change(k)
		if err := service(k).Publish(t.Context(), job, Reading{}, nil); !errors.Is(err, ErrLost) || k.revisions != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, err := range []error{context.Canceled, ErrUnavailable} {
		k := reading()
		if got := service(k).Publish(t.Context(), job, Reading{}, err); !errors.Is(got, err) || k.revisions != nil {
			t.Errorf("reading ended with %v: %v", err, got)
		}
	}
}

// TestAJobWhoseOrganizationIsBusyIsTriedAgain: that is no attempt which failed.
func TestAJobWhoseOrganizationIsBusyIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := service(reading())
	s.changes = limit.New[Organization](limit.Config{Total: 1, Each: 1})
	if _, err := s.changes.Acquire(t.Context(), OrganizationOf(job.Org), 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Publish(t.Context(), job, Reading{}, nil); !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

// TestWhileOneDocumentIsReadTheShipmentIsProcessed, whatever becomes of others.
func TestWhileOneDocumentIsReadTheShipmentIsProcessed(t *testing.T) {
	t.Parallel()
	k := reading()
	k.documents[1].Status, k.documents[1].Run = Queued, 1
	s := service(k)
	if err := s.Publish(t.Context(), job, Reading{}, nil); err != nil || k.revisions[0].To.Status != Processing {
		t.Errorf("published: %v, %+v", err, k.revisions)
	}
	k.documents[0].Status = Processed
	_, err := s.Attach(t.Context(), OrgID{1}, attachment(plum))
	if err != nil || k.revisions[1].To.Status != Processing {
		t.Errorf("attached: %v", err)
	}
	if _, err := s.Detach(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{2}}); err != nil ||
		k.revisions[2].To.Status != ReadyForReview {
		t.Errorf("detached: %v", err)
	}
}

func TestReprocessingIsANewRunAndKeepsThePallets(t *testing.T) {
	t.Parallel()
	k := at(Rejected)
	k.documents = []Document{
		{ID: DocumentID{1}, Kind: CSV, Status: Failed, Run: 1, Failure: Failure{Code: "x"}, ProcessedAt: start},
		{ID: DocumentID{2}},
	}
	k.pallets, k.head.PalletsCount = []Pallet{plum}, 1
	s := service(k)
	doc, err := s.Reprocess(t.Context(), OrgID{1}, DocumentOrder{
		Order:    Order{By: Actor{ID: "tok_1"}},
		Document: DocumentID{1},
	})
	r := k.revisions[0]
	if err != nil || doc.Run != 2 || doc.Status != Queued || doc.Failure != (Failure{}) || !doc.ProcessedAt.IsZero() ||
		r.To.Status != Processing || r.To.PalletsCount != 1 || r.Pallets != nil ||
		r.Entry.Action != ReprocessDocument ||
		r.Entry.By != (Actor{ID: "tok_1"}) {
		t.Errorf("%+v, %+v (%v)", doc, r, err)
	}
	if _, err := s.Reprocess(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{2}}); !errors.Is(
		err, ErrNotReadAgain,
	) {
		t.Errorf("one that is not read: %v", err)
	}
	if _, err := s.Reprocess(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{3}}); !errors.Is(
		err, ErrNoDocument,
	) {
		t.Errorf("one that is not there: %v", err)
	}
}

// TestATypeIsCorrectedWhereTheFileCanBeReadSo, and not while it is being read.
func TestATypeIsCorrectedWhereTheFileCanBeReadSo(t *testing.T) {
	t.Parallel()
	list := Document{ID: DocumentID{1}, Type: PackingList, Status: Processed, Filename: "l.csv", ContentType: CSVMedia}
	given, read, photo := list, list, list
	given.Filename, read.Status, photo.Type, photo.ContentType = "", Queued, BillOfLading, "image/png"
	for name, c := range map[string]struct {
		Document
		to   DocumentType
		want string // of the error, or the status
	}{
		"read as another":      {list, BillOfLading, "queued"},
		"kept":                 {list, OtherDocument, "processed"},
		"the same":             {list, PackingList, "processed"},
		"unknown":              {list, "memo", "type must be one of"},
		"none":                 {list, "", "required"},
		"given by its pallets": {given, BillOfLading, ErrNotReadAgain.Error()},
		"being read":           {read, BillOfLading, "being read; allowed: update, attach_document, reprocess_document, "},
		"a picture":            {photo, PhytosanitaryCertificate, "processed"},
		"a picture of a list":  {photo, PackingList, "this file is only kept"},
		"for another version":  {list, BillOfLading, ErrVersion.Error()},
	} {
		k := at(ReadyForReview)
		k.documents = []Document{c.Document}
		e := DocumentEdit{DocumentOrder{Document: c.ID}, c.to}
		if name == "for another version" {
			e.ExpectsEither = func(int64, Document) bool { return false }
		}
		doc, err := service(k).UpdateDocument(t.Context(), OrgID{1}, e)
		got := string(doc.Status)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || err == nil && doc.Type != c.to {
			t.Errorf("%s: %s, %+v", name, got, doc)
		}
	}
}

// TestPalletsOfWhatIsNoListAnyMoreGo, also where it could not be read as what it is.
func TestPalletsOfWhatIsNoListAnyMoreGo(t *testing.T) {
	t.Parallel()
	killed := &UnreadableError{Interrupted: true, Failure: Failure{"unreadable", "The program failed twice."}}
	for _, unread := range []error{nil, killed} {
		k := reading()
		k.documents[0].Type = BillOfLading
		if err := service(k).Publish(t.Context(), job, Reading{}, unread); err != nil {
			t.Fatal(err)
		}
		if r := k.revisions[0]; r.Kept || r.To.PalletsCount != 1 || r.Document.PalletsExtracted != 0 {
			t.Errorf("%v: %+v", unread, r)
		}
	}
}

func TestAShipmentThatWasWorkedOnIsNotDeleted(t *testing.T) {
	t.Parallel()
	for while, head := range map[string]Head{
		"the shipment has documents that were read": {Documents: 1},
		"the shipment's history has a decision":     {Decided: true},
	} {
		k := at(Pending)
		k.head.Documents, k.head.Decided = head.Documents, head.Decided
		_, err := service(k).Delete(t.Context(), OrgID{1}, Order{})
		if refused, ok := errors.AsType[*TransitionError](err); !ok || k.deleted ||
			!strings.Contains(err.Error(), "while "+while+"; allowed: update, attach_document") ||
			strings.HasSuffix(refused.Error(), "delete") {
			t.Errorf("%v", err)
		}
	}
}

// TestAMissingFileFails, and an outage of the store does not.
func TestAMissingFileFails(t *testing.T) {
	t.Parallel()
	k := reading()
	k.pallets = k.pallets[1:]
	err := service(k).Process(t.Context(), job, k.documents[0])
	if err != nil || k.revisions[0].Document.Failure.Code != "file_missing" {
		t.Errorf("%v, %+v", err, k.revisions)
	}
	k = reading()
	k.files.opening = ErrUnavailable
	err = service(k).Process(t.Context(), job, k.documents[0])
	if !errors.Is(err, ErrUnavailable) || k.revisions != nil {
		t.Errorf("%v, %+v", err, k.revisions)
	}
}

// TestATemplateIsStoredOnlyWithAReadingThatSucceeded with it.
func TestATemplateIsStoredOnlyWithAReadingThatSucceeded(t *testing.T) {
	t.Parallel()
	for want, unread := range []error{&UnreadableError{Failure: Failure{"no_header_row", ""}}, nil} {
		k := reading()
		k.documents[0].Given = []Assignment{{Keep: &Template{Name: "Hass"}}}
		if err := service(k).Publish(t.Context(), job, Reading{}, unread); err != nil || len(k.templates) != want ||
			k.revisions[0].Document.Given[0].Keep != nil {
			t.Errorf("%v: %+v, %v", unread, k.templates, err)
		}
	}
}

// TestATemplateIsKeptOfACorrectionThatIsStillToBeRead.
func TestATemplateIsKeptOfACorrectionThatIsStillToBeRead(t *testing.T) {
	t.Parallel()
	k := reading()
	given := []Assignment{{Assignment: list.Assignment{Columns: []list.AssignedColumn{{Column: "B", Field: "boxes"}}}}}
	doc := &k.documents[0]
	doc.Given, doc.Mappings = given, []list.Mapping{{Fingerprint: "f", Columns: []list.Column{{Column: "B"}}}}
	if !doc.Unfinished() {
		t.Fatalf("the document is %s", doc.Status)
	}
	_, err := service(k).CorrectMapping(t.Context(), OrgID{1}, Correction{
		DocumentOrder: DocumentOrder{Document: doc.ID}, Mappings: given, SaveAs: new("Hass"),
	})
	if err != nil || len(k.revisions) != 1 || k.revisions[0].Document.Given[0].Keep == nil {
		t.Errorf("%v, %+v", err, k.revisions)
	}
}
