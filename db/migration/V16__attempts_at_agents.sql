-- A 500 of an agent is tried once more, so the next attempt has to know of it.
ALTER TABLE deliveries ADD COLUMN last_status integer;

COMMENT ON COLUMN deliveries.last_status IS 'The HTTP status of the last failed attempt; null without one';

-- What a sender says beside its message goes to the agent with each attempt, whenever and by whichever replica that is.
ALTER TABLE activity_logs ADD COLUMN headers text;

COMMENT ON COLUMN activity_logs.headers IS 'The headers of the sender that are passed to the agent, a JSON object; null without one';
