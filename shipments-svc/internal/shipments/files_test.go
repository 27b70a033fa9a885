package shipments

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// shelf is a Files in memory.
type shelf struct {
	files   map[FileKey]string
	putting error // of Put
	opening error // of Open
	removed []FileKey
}

func (s *shelf) Put(_ context.Context, key FileKey, content io.Reader, _ int64) error {
	text, err := io.ReadAll(content)
	if s.putting != nil || err != nil {
		return errors.Join(s.putting, err)
	}
	if s.files == nil {
		s.files = map[FileKey]string{}
	}
	s.files[key] = string(text)
	return nil
}

type openText struct{ *strings.Reader }

func (openText) Close() error { return nil }

func (s *shelf) Open(_ context.Context, key FileKey) (OpenFile, error) {
	text, ok := s.files[key]
	if s.opening != nil {
		return nil, s.opening
	}
	if !ok {
		return nil, ErrNoFile
	}
	return openText{strings.NewReader(text)}, nil
}

func (s *shelf) Delete(_ context.Context, key FileKey) error {
	delete(s.files, key)
	s.removed = append(s.removed, key)
	return nil
}

func (s *shelf) List(_ context.Context, before time.Time) iter.Seq2[FileKey, error] {
	return func(yield func(FileKey, error) bool) {
		if !before.Equal(start.Add(-time.Hour)) {
			yield(FileKey{}, errors.New("asked for files before "+before.String()))
			return
		}
		for key := range s.files {
			if !yield(key, nil) {
				return
			}
		}
	}
}

func (k *fakeRepository) Read(
	_ context.Context, _ DocumentType, kind Kind, content io.ReaderAt, size int64, _ []Assignment,
) (Reading, error) {
	text, err := io.ReadAll(io.NewSectionReader(content, 0, size))
	k.readText = string(kind) + ": " + string(text)
	return k.reading, errors.Join(k.unread, err)
}

// upload attaches a packing list in CSV.
func upload(text string) Attachment {
	return Attachment{Order: Order{By: Actor{ID: "tok_1"}}, Type: PackingList, File: &Upload{
		Filename: "PL 0042.csv", ContentType: "text/csv", Kind: CSV, Size: int64(len(text)),
		SHA256:  [32]byte{byte(len(text))},
		Content: strings.NewReader(text),
	}}
}

func TestAFileIsStoredAndItsDocumentQueued(t *testing.T) {
	t.Parallel()
	k := at(Rejected)
	k.pallets, k.head.PalletsCount = []Pallet{plum}, 1
	got, err := service(k).Attach(t.Context(), OrgID{1}, upload("a;b"))
	if err != nil || len(k.revisions) != 1 {
		t.Fatal(err)
	}
	r := k.revisions[0]
	doc := *r.Document
	if doc.Status != Queued || doc.Run != 1 || doc.Kind != CSV || doc.Filename != "PL 0042.csv" || doc.Size != 3 ||
		!doc.ProcessedAt.IsZero() ||
		doc.ID != got.Document.ID {
		t.Errorf("%+v", doc)
	}
	if r.To.Status != Processing || r.To.PalletsCount != 1 || r.Entry.Status != Processing || len(r.Pallets) != 0 ||
		k.evidence.Draft != (Draft{}) {
		t.Errorf("%+v", r)
	}
	if text := k.files.files[FileKey{OrgID{1}, doc.ID}]; text != "a;b" {
		t.Errorf("stored %q", text)
	}
}

// TestDocumentWithoutProcessingIsAttachedImmediately: there is nothing to wait for.
func TestDocumentWithoutProcessingIsAttachedImmediately(t *testing.T) {
	t.Parallel()
	k := at(ReadyForReview)
	k.pallets, k.head.PalletsCount = []Pallet{plum}, 1
	a := upload("x")
	a.Type = OtherDocument
	got, err := service(k).Attach(t.Context(), OrgID{1}, a)
	if err != nil || got.Document.Status != Processed || got.Document.Run != 0 ||
		k.revisions[0].To.Status != ReadyForReview ||
		len(k.evidence.Documents) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTheFileOfARefusedDocumentIsNotStored.
func TestTheFileOfARefusedDocumentIsNotStored(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*fakeRepository){
		"approved":        func(k *fakeRepository) { k.head.Status = Approved },
		"duplicate":       func(k *fakeRepository) { k.documents = []Document{{ID: DocumentID{9}, SHA256: [32]byte{1}}} },
		"no place for it": func(k *fakeRepository) { k.files.putting = ErrUnavailable },
	} {
		k := at(Pending)
		prepare(k)
		if _, err := service(k).Attach(t.Context(), OrgID{1}, upload("x")); err == nil || len(k.files.files) != 0 {
			t.Errorf("%s: %v, %d files are stored", name, err, len(k.files.files))
		}
	}
}

func TestADryRunReadsAtOnce(t *testing.T) {
	t.Parallel()
	k := at(Pending)
	k.reading = Reading{
		Pallets:  []Pallet{{Number: "1", Source: Source{Row: 7}}},
		RowsRead: 3,
		Mappings: []list.Mapping{{HeaderRow: 4, HeaderRows: 1}},
	}
	a := upload("x")
	a.DryRun = true
	got, err := service(k).Attach(t.Context(), OrgID{1}, a)
	if err != nil || !got.DryRun || got.Document.Status != Processed || got.Document.RowsRead != 3 ||
		got.Document.PalletsExtracted != 1 || k.readText != "csv: x" ||
		len(k.evidence.Pallets) != 1 ||
		k.evidence.Pallets[0].Source.Row != 7 ||
		len(got.Checks) != 1 ||
		len(got.Document.Mappings) != 1 ||
		got.Document.Mappings[0].HeaderRow != 4 {
		t.Errorf("%+v, %v, read %q", got, err, k.readText)
	}
	k.unread = &UnreadableError{
		Failure:  Failure{list.AmbiguousMapping, "Two readings agree."},
		Mappings: []list.Mapping{{HeaderRow: 5, HeaderRows: 1}},
	}
	if got, err = service(k).Attach(t.Context(), OrgID{1}, a); err != nil || got.Document.Status != Failed ||
		got.Document.Failure.Code != list.AmbiguousMapping ||
		len(k.evidence.Pallets) != 0 ||
		len(got.Document.Mappings) != 1 ||
		got.Document.Mappings[0].HeaderRow != 5 {
		t.Errorf("%+v, %v", got, err)
	}
	if k.unread = ErrUnavailable; true {
		_, err = service(k).Attach(t.Context(), OrgID{1}, a)
	}
	if !errors.Is(err, ErrUnavailable) || k.revisions != nil || k.files.files != nil {
		t.Errorf("%v", err)
	}
}

func TestUploadsAreChecked(t *testing.T) {
	t.Parallel()
	named := func(name string) Attachment {
		a := upload("x")
		a.File.Filename = name
		return a
	}
	both, none, unread, other := upload("x"), upload(""), upload("x"), upload("x")
	both.Pallets = []Pallet{plum}
	unread.File.Kind = Unread
	other.File.Kind, other.Type = Unread, OtherDocument
	for want, all := range map[string][]Attachment{
		"": {
			upload("x"), other, named("Lista de empaque nº 42 (1).xlsx"), named("装箱单.pdf"),
			named(strings.Repeat("ü", 200)),
		},
		"required /filename": {named(""), named(" ")},
		"invalid_text /filename": {
			named("../x"), named("a/b"), named(`C:\x`), named(".."), named("a\x00b"),
			named("a\nb"), named("a\u202efdp.exe"), named("a\xff"),
		},
		"too_long /filename":         {named(strings.Repeat("ü", 201))},
		"invalid_value /pallets":     {both},
		"required /file":             {none},
		"unsupported_document /file": {unread},
		"invalid_value /type":        {{Type: "poem", File: other.File}},
	} {
		for _, a := range all {
			got := ""
			for _, f := range a.Faults() {
				got += string(f.Code) + " " + f.Pointer
			}
			if got != want {
				t.Errorf("%q: %q, want %q", a.File.Filename, got, want)
			}
		}
	}
}

func TestAShipmentHasBoundedDocuments(t *testing.T) {
	t.Parallel()
	k := at(Pending)
	k.documents = make([]Document, MaxDocuments)
	for i := range k.documents {
		k.documents[i].ID, k.documents[i].SHA256 = DocumentID{byte(i)}, [32]byte{2, byte(i)}
	}
	_, err := service(k).Attach(t.Context(), OrgID{1}, upload("x"))
	if invalid, ok := errors.AsType[*Invalid](err); !ok || invalid.Faults[0].Code != TooManyDocuments ||
		k.files.files != nil {
		t.Errorf("%v", err)
	}
}

func TestFileIsDeletedWithItsDocument(t *testing.T) {
	t.Parallel()
	k := at(Processing)
	key := FileKey{OrgID{1}, DocumentID{1}}
	k.documents, k.files.files = []Document{{ID: DocumentID{1}, Filename: "f"}}, map[FileKey]string{key: "x"}
	if file, err := service(k).File(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{1}}); err != nil {
		t.Error(err)
	} else if content, err := file.Open(t.Context()); err != nil || content.Close() != nil {
		t.Error(err)
	}
	if _, err := service(k).Detach(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{1}}); err != nil ||
		!slices.Equal(k.files.removed, []FileKey{key}) {
		t.Errorf("%v, removed %v", err, k.files.removed)
	}
	k.documents[0].Filename = ""
	if _, err := service(k).File(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{1}}); !errors.Is(
		err, ErrNoDocument,
	) {
		t.Errorf("a document without a file: %v", err)
	}
}
