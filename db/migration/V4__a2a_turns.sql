-- Turns: a message that was handed to an agent, until its answer, or its failure, is on the message's row.

SET LOCAL lock_timeout = '2s';

-- Ends are numbered under the lock of the feed's head, as rows are: whoever follows them by number skips none.
ALTER TABLE activity_feeds
    ADD COLUMN last_turn_seq bigint      NOT NULL DEFAULT 0,
    ADD COLUMN last_turn_at  timestamptz NOT NULL DEFAULT 'epoch';

-- The last end of a row's turns, with the number that it got.
CREATE TABLE activity_turns (
    activity_id  uuid PRIMARY KEY REFERENCES activity_logs (id) ON DELETE CASCADE,
    workspace_id uuid    NOT NULL,
    turn_seq     bigint  NOT NULL,
    -- whether the agent's answer is on the row; else only how it failed
    answered     boolean NOT NULL
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

CREATE UNIQUE INDEX activity_turns_in_order ON activity_turns (workspace_id, turn_seq);

-- One message, one record (R7.3): who delivers it, and how that stands.
CREATE TABLE a2a_messages (
    activity_id   uuid PRIMARY KEY REFERENCES activity_logs (id) ON DELETE CASCADE,
    state         text    NOT NULL CHECK (state IN ('sending', 'answered', 'queued', 'refused', 'uncertain')),
    -- who delivers it now, a name of that one delivery; it is lost when the lease lapses
    owner         text,
    lease_until   timestamptz,
    -- how often the agent may have been given it
    deliveries    integer NOT NULL DEFAULT 0,
    -- what its sender was answered: the status, and the body where it is not the response on the row
    answer_status integer,
    answer_type   text,
    answer        text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- Deliveries whose server died are looked for by their leases.
CREATE INDEX a2a_messages_leases ON a2a_messages (lease_until) WHERE state = 'sending';
