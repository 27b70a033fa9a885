-- +goose Up

-- Like that of 00005, but each word is a part of the text, wherever it stands. A text of which no word has a trigram, such
-- as "PO 7", is searched as it is: the index serves no shorter words.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_shipments(pattern text, most bigint) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET enable_indexscan = off ROWS 100 AS $$
DECLARE
    words text[] := CASE WHEN pattern ~ '[[:alnum:]]{3}' THEN regexp_split_to_array(pattern, '\s+') ELSE ARRAY[pattern] END;
    n bigint;
BEGIN
    RETURN QUERY EXECUTE (
        SELECT 'SELECT shipment_id FROM shipment_search WHERE organization_id::text = current_setting($1, true)' ||
            string_agg(format(' AND text LIKE %L', '%' || lower(word) || '%'), '') || ' LIMIT $2'
        FROM unnest(words) word
    ) USING 'quayside.organization', most + 1;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > most THEN
        RAISE EXCEPTION 'more than % shipments match', most USING ERRCODE = 'QS001';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_shipments(pattern text, most bigint) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET enable_indexscan = off ROWS 100 AS $$
DECLARE
    n bigint;
BEGIN
    RETURN QUERY SELECT shipment_id FROM shipment_search
    WHERE organization_id::text = current_setting('quayside.organization', true)
        AND text LIKE '%' || lower(pattern) || '%'
    LIMIT most + 1;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > most THEN
        RAISE EXCEPTION 'more than % shipments match', most USING ERRCODE = 'QS001';
    END IF;
END $$;
-- +goose StatementEnd
