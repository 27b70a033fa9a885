-- +goose Up

-- New texts wait in a list and enter the index together, which halves what a created shipment costs. A search reads the
-- list, too: so it is short, and the transaction that fills it empties it.
ALTER INDEX shipment_search_text SET (fastupdate = on, gin_pending_list_limit = 128);

-- +goose Down
ALTER INDEX shipment_search_text SET (fastupdate = off);
ALTER INDEX shipment_search_text RESET (gin_pending_list_limit);
SELECT gin_clean_pending_list('shipment_search_text');
