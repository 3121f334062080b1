-- A 500 of an agent is tried once more, so the next attempt has to know of it.
ALTER TABLE deliveries ADD COLUMN last_status integer;

COMMENT ON COLUMN deliveries.last_status IS 'The HTTP status of the last failed attempt; null without one';

-- What a sender says beside its message goes to the agent with each attempt, whenever and by whichever replica that is.
ALTER TABLE activity_logs ADD COLUMN headers text;

COMMENT ON COLUMN activity_logs.headers IS 'The headers of the sender that are passed to the agent, a JSON object; null without one';

-- Which agents have not answered the last calls; an agent that answers or registers has no row.
CREATE TABLE unanswered_calls (
    workspace_id uuid        PRIMARY KEY,
    since        timestamptz NOT NULL,
    last_at      timestamptz NOT NULL,
    calls        integer     NOT NULL,
    error        text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE unanswered_calls IS 'Calls of agents without an answer since their last answer or registration; error is that of the last call';
