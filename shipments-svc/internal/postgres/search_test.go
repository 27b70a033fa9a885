package postgres

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestASearchFindsAnyPartInAnyCase of a reference, a vessel, a place and a container, as they are now, each word by
// itself, and the beginning of the number of a pallet.
func TestASearchFindsAnyPartInAnyCase(t *testing.T) {
	t.Parallel()
	r, _ := newTest(t)
	org, other := NewOrg(), NewOrg()
	s := NewShipment(shipments.Pending, Noon)
	s.Reference, s.Vessel, s.Destination = "CFE-2026-0412", "MSC Carmen", `Port 100%_\`
	for _, o := range []shipments.OrgID{org, other} {
		must(t, r.Create(t.Context(), o, s, Someone))
	}
	finds := func(want int, texts ...string) {
		t.Helper()
		for _, text := range texts {
			found, total, err := r.List(t.Context(), org, shipments.Filter{Search: text}, 0, 10)
			if err != nil || len(found) != want || total != int64(want) {
				t.Errorf("%q: %d of %d, want %d (%v)", text, len(found), total, want, err)
			}
			all, err := r.ListAfter(t.Context(), org, shipments.Filter{Search: text}, nil, 10)
			if err != nil || len(all) != want {
				t.Errorf("%q: %d are exported, want %d (%v)", text, len(all), want, err)
			}
		}
	}
	finds(1, "0412", "cfe-2026-0412", "Carm", "SC C", "100%", `%_\`, "ort", "port 0412 sc", `carmen %_\`)
	finds(0, "CSQU", "0413", "1000", "p_rt", "0412\nMSC X", "carmen 0413", "carmen p_", "sc po")
	changed := shipments.Revision{From: s, To: s, Entry: shipments.Entry{
		Version: 2, At: Noon, Action: shipments.Update, Status: s.Status,
	}}
	changed.To.Version = 2
	changed.To.Reference, changed.To.Containers = "other", "CSQU 305438-3\nCSQU3054383"
	changed.Pallets = []shipments.Pallet{{Number: "ZK%-7", ProduceName: "Plum", Calibre: "AA", Boxes: 1, BoxWeight: 1}}
	must(t, r.Revise(t.Context(), org, changed))
	finds(1, "csqu305", "5438-3", "OTHER", "zk%", "ZK%-7", "lparaí", "LPARAÍ")
	finds(0, "0412", "k%-7", "ZKX")
	for _, by := range shipments.Sorts {
		sort := shipments.Sort{By: by, Reverse: true}
		found, total, err := r.Sorted(t.Context(), org, shipments.Filter{Search: "other"}, sort, 0, 10)
		if err != nil || total != 1 || found[0].ID != s.ID {
			t.Errorf("by %s: %d of %d (%v)", by, len(found), total, err)
		}
	}
	must(t, r.Delete(t.Context(), org, changed.To, shipments.Entry{Version: 3, At: Noon, Action: shipments.Delete}))
	finds(0, "csqu305", "other")
}

// TestASearchCostsWhatTheOrganizationHas, however much others have with the same text, and is refused where it matches
// more than a page can be of use for.
func TestASearchCostsWhatTheOrganizationHas(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	db := oneConn(t, dsn)
	small, large := NewOrg(), NewOrg()
	fill(t, db, uuid.UUID(large), shipments.MaxMatches+1, 100)
	fill(t, db, uuid.UUID(small), 10, 100)
	exec(t, db, `VACUUM ANALYZE`)
	exec(t, db, fmt.Sprintf(`SET quayside.organization = '%s'`, uuid.UUID(small)))
	exec(t, db, `SET enable_seqscan = off; SET enable_indexscan = off`) // as the function does
	const find = `SELECT shipment_id FROM shipment_search
		WHERE organization_id::text = current_setting('quayside.organization', true)
			AND text LIKE '%' || lower($1) || '%' LIMIT 10001`
	plan := explain(t, db, find, []any{"carm"}).find("Bitmap Heap Scan")
	if plan == nil || len(plan.Plans) != 1 || plan.Plans[0].IndexName != "shipment_search_text" {
		t.Errorf("%+v", plan)
	}
	r := NewRepository(openAt(t, dsn))
	_, total, err := r.List(t.Context(), small, shipments.Filter{Search: "carm"}, 0, 10)
	if err != nil || total != 10 {
		t.Errorf("%d (%v)", total, err)
	}
	broad := shipments.Filter{Search: "carm", Texts: shipments.Draft{Reference: "PO-1"}}
	_, _, listed := r.List(t.Context(), large, broad, 0, 10)
	all := shipments.Filter{Texts: shipments.Draft{Vessel: "msc"}}
	_, _, sorted := r.Sorted(t.Context(), large, all, shipments.Sort{By: "vessel"}, 0, 10)
	if !errors.Is(listed, shipments.ErrTooBroad) || !errors.Is(sorted, shipments.ErrTooBroad) {
		t.Errorf("%v, %v", listed, sorted)
	}
}
