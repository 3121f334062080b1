-- A 500 of an agent is tried once more, so the next attempt has to know of it.
ALTER TABLE deliveries ADD COLUMN last_status integer;

COMMENT ON COLUMN deliveries.last_status IS 'The HTTP status of the last failed attempt; null without one';
