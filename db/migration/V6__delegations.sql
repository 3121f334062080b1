-- The ledger of delegations: who asked whom for what, and how that stands.

SET LOCAL lock_timeout = '2s';

-- No foreign keys: a row here would lock its workspaces' rows for nothing. Until a delegation ends, nothing changes that
-- is indexed, so that all its updates stay heap-only.
CREATE TABLE delegations (
    delegation_id   text PRIMARY KEY CHECK (length(delegation_id) BETWEEN 1 AND 128),
    -- of version 7; with created_at the order of lists
    id              uuid        NOT NULL,
    caller_id       uuid        NOT NULL,
    callee_id       uuid        NOT NULL,
    -- the first 4,096 bytes; the whole is kept beside it where that is not all
    task_preview    text        NOT NULL,
    task            text,
    status          text        NOT NULL CHECK (status IN
        ('queued', 'dispatched', 'in_progress', 'stuck', 'completed', 'failed')),
    attempt         integer     NOT NULL DEFAULT 1,
    retry_count     integer     NOT NULL DEFAULT 0,
    last_heartbeat  timestamptz,
    -- what its caller gave it, and a retry gives it again
    deadline_s      integer     NOT NULL,
    deadline        timestamptz NOT NULL,
    dispatched_at   timestamptz,
    result_preview  text,
    result          text,
    error_detail    text,
    error_kind      text,
    idempotency_key text,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    -- null as long as it is in flight
    ended_as        text GENERATED ALWAYS AS (CASE WHEN status IN ('completed', 'failed') THEN status END) STORED
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX delegations_sent ON delegations (caller_id, created_at, id);
CREATE INDEX delegations_received ON delegations (callee_id, created_at, id);
CREATE INDEX delegations_ended ON delegations (ended_as, created_at, id) WHERE ended_as IS NOT NULL;
CREATE INDEX delegations_keys ON delegations (caller_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- What the sweeper goes through, and nothing of what has ended.
CREATE INDEX delegations_in_flight ON delegations (deadline)
    WHERE ended_as IS NULL;

-- Delegations keep no order among themselves, and the result of one takes no place at the agent that waits for it.
ALTER TABLE a2a_queue ADD COLUMN kind text NOT NULL DEFAULT 'message' CHECK (kind IN ('message', 'errand', 'result'));
