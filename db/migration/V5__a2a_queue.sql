-- Messages that wait for agents which cannot take them right now, and the durable jobs that deliver them.

-- db-scheduler's table under our name, and one column of ours.
CREATE TABLE delivery_jobs (
    task_name            text        NOT NULL,
    task_instance        text        NOT NULL,
    task_data            bytea,
    execution_time       timestamptz NOT NULL,
    picked               boolean     NOT NULL,
    picked_by            text,
    last_success         timestamptz,
    last_failure         timestamptz,
    consecutive_failures integer,
    last_heartbeat       timestamptz,
    version              bigint      NOT NULL,
    priority             smallint,
    -- when somebody asked for another run while one was under way
    wanted_at            timestamptz,
    PRIMARY KEY (task_name, task_instance)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX delivery_jobs_by_time ON delivery_jobs (execution_time);
CREATE INDEX delivery_jobs_by_heartbeat ON delivery_jobs (last_heartbeat) WHERE last_heartbeat IS NOT NULL;

-- No foreign keys: a row here would lock its workspace's row for nothing, and outlives its row in the feed.
CREATE TABLE a2a_queue (
    queue_id        uuid PRIMARY KEY,
    activity_id     uuid        NOT NULL,
    target_id       uuid        NOT NULL,
    -- null: the human at the canvas
    sender_id       uuid,
    priority        integer     NOT NULL,
    state           text        NOT NULL CHECK (state IN
        ('waiting', 'delivering', 'delivered', 'failed', 'expired', 'dropped')),
    attempts        integer     NOT NULL DEFAULT 0,
    enqueued_at     timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    -- who delivers it, and until when nobody else may; of each claim its own
    lease_owner     text,
    lease_until     timestamptz,
    ended_at        timestamptz,
    error           text,
    CHECK ((state = 'delivering') = (lease_owner IS NOT NULL)),
    CHECK ((state = 'delivering') = (lease_until IS NOT NULL)),
    CHECK ((state IN ('waiting', 'delivering')) = (ended_at IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- A message waits once at a time; after an end without a delivery it may come again.
CREATE UNIQUE INDEX a2a_queue_messages ON a2a_queue (activity_id) WHERE state IN ('waiting', 'delivering');

-- The line of each target, in its order.
CREATE INDEX a2a_queue_lines ON a2a_queue (target_id, priority DESC, enqueued_at, queue_id)
    WHERE state IN ('waiting', 'delivering');
CREATE INDEX a2a_queue_expiring ON a2a_queue (expires_at) WHERE state IN ('waiting', 'delivering');
CREATE INDEX a2a_queue_ended ON a2a_queue (ended_at) WHERE ended_at IS NOT NULL;
