-- The whole schema. Rules that hold for all of it, and that a test reads the catalogue for: no triggers; on the tables of
-- the hot paths no foreign keys, which would lock another row for each write; and every one of those tables has a key
-- that begins with the column by which it could be distributed.

-- Who exists. Whatever a heartbeat or a status change writes is in workspace_heartbeats, so that the hot table stays narrow.
CREATE TABLE workspaces (
    id                   uuid PRIMARY KEY,
    name                 text             NOT NULL,
    role                 text,
    tier                 integer          NOT NULL,
    -- Without a foreign key: whoever changes the tree holds its lock, and looks.
    parent_id            uuid,
    runtime              text             NOT NULL,
    url                  text             NOT NULL,
    delivery_mode        text             NOT NULL CHECK (delivery_mode IN ('push', 'poll')),
    max_concurrent_tasks integer          NOT NULL CHECK (max_concurrent_tasks > 0),
    -- "json", not "jsonb": a card comes back byte for byte, escapes that jsonb refuses included.
    agent_card           json,
    x                    double precision NOT NULL,
    y                    double precision NOT NULL,
    collapsed            boolean          NOT NULL DEFAULT false,
    created_at           timestamptz      NOT NULL,
    updated_at           timestamptz      NOT NULL,
    removed_at           timestamptz,
    -- grows with every write; what was remembered of a workspace holds as long as it is the same
    version              bigint           NOT NULL DEFAULT 1
);

CREATE INDEX workspaces_in_order ON workspaces (created_at, id) WHERE removed_at IS NULL;
CREATE INDEX workspaces_by_parent ON workspaces (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX workspaces_roots ON workspaces (created_at, id) WHERE removed_at IS NULL AND parent_id IS NULL;

-- Grows with every change that can part two workspaces. Read together with a target, it says whether what was found of
-- the tree before still holds. Whoever makes such a change counts it.
CREATE TABLE workspace_tree (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version  bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO workspace_tree (version) VALUES (1);

-- The ids of removed workspaces outlive their rows, so that none is ever given to another workspace.
CREATE TABLE removed_workspaces (
    id         uuid PRIMARY KEY,
    removed_at timestamptz NOT NULL
);

-- One narrow row a workspace: heartbeat, sweep, pause, resume, delete and register meet on its lock. Half of every page
-- is left free and no index names a changing column, so that updates stay heap-only.
CREATE TABLE workspace_heartbeats (
    workspace_id         uuid PRIMARY KEY,
    status               text             NOT NULL CHECK (status IN
        ('awaiting_agent', 'online', 'degraded', 'offline', 'paused', 'failed', 'removed',
         'provisioning', 'hibernating', 'hibernated')),
    status_since         timestamptz      NOT NULL,
    degraded_reason      text CHECK (degraded_reason IN ('runtime_wedged', 'error_rate')),
    last_heartbeat_at    timestamptz,
    error_rate           double precision NOT NULL DEFAULT 0,
    sample_error         text             NOT NULL DEFAULT '',
    active_tasks         integer          NOT NULL DEFAULT 0,
    current_task         text             NOT NULL DEFAULT '',
    uptime_seconds       bigint           NOT NULL DEFAULT 0,
    runtime_state        text             NOT NULL DEFAULT '',
    capabilities         json,
    native_status        boolean          NOT NULL DEFAULT false,
    idle_timeout_seconds integer,
    stalled              boolean          NOT NULL DEFAULT false,
    -- since when its agent has been at work without a pause; a fleet's stalled agents are looked for by it
    busy_since           timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE workspace_tokens (
    id           uuid PRIMARY KEY,
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    hash         bytea       NOT NULL UNIQUE,
    prefix       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    revoked_by   text CHECK (revoked_by IN ('operator', 'removal')),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);

CREATE INDEX workspace_tokens_by_workspace ON workspace_tokens (workspace_id, created_at);
CREATE INDEX workspace_tokens_revoked ON workspace_tokens (revoked_at) WHERE revoked_at IS NOT NULL;

-- Who has registered by more than a workspace's own token, so that nobody takes over a workspace by its id (R3.1).
CREATE TABLE workspace_registrations (
    workspace_id   uuid PRIMARY KEY REFERENCES workspaces (id),
    registered_at  timestamptz NOT NULL,
    -- What shows that a request is the same again, and the token that its answer carried: all null when it came with
    -- a credential, or through a proxy, which hides the client's address.
    body_hash      bytea,
    remote_address text,
    token_id       uuid
);

COMMENT ON TABLE workspace_registrations IS
    'The last registration of a workspace that came without its own token; one with it shows by the token''s use';
COMMENT ON COLUMN workspace_registrations.body_hash IS 'SHA-256 of the request body as it came';

-- The admin token that the server made for itself at its first start; none while ADMIN_TOKEN has always been set.
CREATE TABLE admin_token (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    hash       bytea       NOT NULL,
    created_at timestamptz NOT NULL
);

-- Credentials for people and scripts besides the admin token, and what is done with them (R1.7).
CREATE TABLE role_tokens (
    id           uuid PRIMARY KEY,
    name         text        NOT NULL,
    role         text        NOT NULL CHECK (role IN ('viewer', 'operator')),
    hash         bytea       NOT NULL UNIQUE,
    prefix       text        NOT NULL,
    created_by   text        NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz
);

COMMENT ON TABLE role_tokens IS 'Tokens of viewers and operators; those of agents are in workspace_tokens';
COMMENT ON COLUMN role_tokens.hash IS 'SHA-256 of the token, which is kept nowhere';

CREATE INDEX role_tokens_revoked ON role_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX role_tokens_expiring ON role_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- A row is written in the transaction of the change that it tells of.
CREATE TABLE operator_actions (
    id            uuid PRIMARY KEY,
    at            timestamptz NOT NULL,
    who           text        NOT NULL,
    role          text        NOT NULL CHECK (role IN ('operator', 'admin')),
    credential_id uuid,
    action        text        NOT NULL,
    targets       text[]      NOT NULL,
    outcome       text        NOT NULL CHECK (outcome IN ('done', 'refused')),
    request_id    text        NOT NULL
);

COMMENT ON TABLE operator_actions IS 'The audit: each change that the admin or an operator made';
COMMENT ON COLUMN operator_actions.credential_id IS 'The id of the token in role_tokens; null for the admin token';
COMMENT ON COLUMN operator_actions.action IS 'Method and route, for example POST /workspaces/{id}/pause';
COMMENT ON COLUMN operator_actions.outcome IS 'refused: it was answered with an error though something was committed';

CREATE INDEX operator_actions_in_order ON operator_actions (at, id);

-- Where the people at the canvas look: one place for all of them.
CREATE TABLE canvas_viewport (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    x        double precision NOT NULL,
    y        double precision NOT NULL,
    zoom     double precision NOT NULL CHECK (zoom > 0)
);

-- The outbox. A row is written in the transaction of what it tells; "ordinal" is drawn then, "seq" is stamped after the
-- commit, by one publisher at a time, so that readers who page by seq can skip nothing. Until it is stamped a row is in
-- no index by number.
CREATE TABLE events (
    ordinal      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           uuid        NOT NULL,
    seq          bigint,
    event_type   text        NOT NULL,
    workspace_id uuid,
    payload      json        NOT NULL,
    created_at   timestamptz NOT NULL
);

CREATE UNIQUE INDEX events_by_seq ON events (seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_workspace ON events (workspace_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_type ON events (event_type, seq) WHERE seq IS NOT NULL;
CREATE INDEX events_unpublished ON events (ordinal) WHERE seq IS NULL;

CREATE TABLE event_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last_seq bigint NOT NULL
);

INSERT INTO event_head (last_seq) VALUES (0);

-- The jobs that one replica at a time runs: db-scheduler's table, under our name; a handful of rows.
CREATE TABLE recurring_jobs (
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
    PRIMARY KEY (task_name, task_instance)
);

-- Deletions by age have a scheduler of their own, which must not share a table with that of the sweeps: each would take
-- the other's jobs for jobs that nobody knows any more.
CREATE TABLE retention_jobs (LIKE recurring_jobs INCLUDING ALL);

-- How each job's last run ended, whichever replica had it.
CREATE TABLE job_runs (
    job           text PRIMARY KEY,
    replica       text        NOT NULL,
    started_at    timestamptz NOT NULL,
    duration_ms   bigint      NOT NULL,
    last_error    text,
    last_error_at timestamptz,
    runs          bigint      NOT NULL,
    failures      bigint      NOT NULL
);

-- Periods without any healthy replica: "alive_until" is moved on while one is healthy, "up_since" is when one was healthy
-- again after a gap. "hold_since" is set while too many are silent at once to be believed.
CREATE TABLE control_plane_uptime (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    up_since    timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    hold_since  timestamptz
);

INSERT INTO control_plane_uptime (up_since, alive_until) VALUES (now(), now());

-- Whoever appends locks the head first, draws numbers and times from it, and lets go with the commit. So within a feed the
-- order of seq, of created_at and of commits is the same, and a reader who pages by seq skips nothing. A head is there as
-- long as its workspace.
CREATE TABLE activity_feeds (
    workspace_id    uuid PRIMARY KEY,
    -- grows with every write under the lock; a statement that has locked a head knows by it whether what it sees of the
    -- feed is as new as the head
    version         bigint      NOT NULL DEFAULT 0,
    last_seq        bigint      NOT NULL DEFAULT 0,
    last_created_at timestamptz NOT NULL DEFAULT 'epoch',
    last_acked_seq  bigint      NOT NULL DEFAULT 0,
    -- the newest row that the workspace's own agent wrote (source "self"); stalled agents are known by its age
    last_own_at     timestamptz,
    -- the highest row that the workspace's own token polled after; written in the background
    read_seq        bigint      NOT NULL DEFAULT 0,
    -- the bytes of all rows that were ever appended
    total_bytes     bigint      NOT NULL DEFAULT 0,
    -- from where unread rows are counted (R6.7a), and the total there; moved on only when the feed seems to be full
    quota_seq       bigint      NOT NULL DEFAULT 0,
    quota_bytes     bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- The rows of feeds. A row is written once and never updated; the outcome of its delivery is in delivery_outcomes. Its
-- public id is made of workspace, number and time, so that no index of ids is needed.
CREATE TABLE activity_logs (
    workspace_id   uuid        NOT NULL,
    seq            bigint      NOT NULL,
    -- a letter by which readings find their rows: c from the canvas, p from a peer, s from the system, n what the agent
    -- said to its canvas, o a received row that the agent itself reported, and one for each other type
    class          "char"      NOT NULL,
    activity_type  text        NOT NULL,
    source         text        NOT NULL CHECK (source IN ('canvas_user', 'peer_agent', 'system', 'self')),
    source_id      uuid,
    target_id      uuid,
    method         text,
    summary        text,
    -- JSON documents, which come back as they were sent; nothing here looks into them
    request_body   text,
    response_body  text,
    tool_trace     text,
    duration_ms    bigint,
    status         text        NOT NULL,
    error_detail   text,
    message_id     text,
    delegation_id  text,
    -- what the bodies say, taken out when the row is written, so that no read has to take them apart
    message_text   text,
    attachments    text,
    -- bytes of the three bodies, null where there is none; and of the row as lists show it, to bound pages by
    request_bytes  integer,
    response_bytes integer,
    trace_bytes    integer,
    listed_bytes   integer     NOT NULL,
    -- what makes a message the same one (R7.3): the hash of its id, with feed and sender; and the hash of its content
    message_key    bytea,
    content_hash   bytea,
    -- whom the workspace had to do with
    peer_id        uuid GENERATED ALWAYS AS (coalesce(nullif(source_id, workspace_id), nullif(target_id, workspace_id))) STORED,
    created_at     timestamptz NOT NULL,
    -- the feed's total before this row, so that one look-up tells the total at any position
    feed_bytes     bigint      NOT NULL,
    PRIMARY KEY (workspace_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1);

CREATE INDEX activity_logs_by_class ON activity_logs (workspace_id, class, seq);
CREATE INDEX activity_logs_with_peer ON activity_logs (workspace_id, peer_id, seq) WHERE peer_id IS NOT NULL;
CREATE UNIQUE INDEX activity_logs_messages ON activity_logs (workspace_id, message_key, source_id) NULLS NOT DISTINCT
    WHERE message_key IS NOT NULL;

-- The leases of replicas: one row each, renewed every few seconds. A delivery is its owner's as long as the row is there.
CREATE TABLE replicas (
    id          uuid PRIMARY KEY,
    name        text        NOT NULL,
    started_at  timestamptz NOT NULL,
    alive_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Deliveries that are open: messages that are being sent, or wait in the queue of an agent that is called. A row is deleted
-- when its delivery ends, so the table is as small as the work in hand.
CREATE TABLE deliveries (
    -- of the row in the target's feed
    workspace_id uuid        NOT NULL,
    seq          bigint      NOT NULL,
    -- null: the canvas, or the system
    sender_id    uuid,
    -- delegations keep no order among themselves, and the result of one takes no slot at the agent that waits for it
    kind         text        NOT NULL CHECK (kind IN ('message', 'delegation', 'result')),
    -- whether it waits, or waited, for its target; else it is sent while its sender's request is held
    queued       boolean     NOT NULL,
    -- how many waited when it was queued, itself included
    depth        integer     NOT NULL,
    priority     integer     NOT NULL,
    enqueued_at  timestamptz NOT NULL,
    -- not tried before
    due_at       timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    -- which replica delivers it, and by which of its claims; no pair of them is ever used again
    owner        uuid,
    claim        bigint,
    claimed_at   timestamptz,
    attempts     integer     NOT NULL DEFAULT 0,
    -- how often the agent may have been given it
    deliveries   integer     NOT NULL DEFAULT 0,
    -- of the last failed attempt
    error        text,
    PRIMARY KEY (workspace_id, seq),
    CHECK (queued OR owner IS NOT NULL),
    CHECK ((owner IS NULL) = (claim IS NULL)),
    CHECK ((owner IS NULL) = (claimed_at IS NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.1);

-- Neither names a column that changes while a row lives, so that claims are heap-only updates; what is sent at once has no
-- entry in them.
CREATE INDEX deliveries_queue ON deliveries (workspace_id, priority DESC, enqueued_at, seq) WHERE queued;
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE queued;

-- How deliveries ended, and the answers that agents gave by messages of their own. At most one outcome a row; one without
-- an answer is replaced when the message is delivered again.
CREATE TABLE delivery_outcomes (
    workspace_id   uuid        NOT NULL,
    seq            bigint      NOT NULL,
    -- in_feed: its target polls by now, and finds the row in its feed
    state          text        NOT NULL CHECK (state IN ('answered', 'refused', 'uncertain', 'in_feed')),
    -- who delivered it; null where no replica did
    owner          uuid,
    claim          bigint,
    deliveries     integer     NOT NULL,
    -- what its sender was answered: the status, and the body where it is not the response
    answer_status  integer     NOT NULL,
    answer_type    text        NOT NULL,
    answer         text,
    -- what the row shows from now on; a null status: what it showed before
    response       text,
    response_bytes integer,
    listed_bytes   integer     NOT NULL,
    status         text,
    error_detail   text,
    duration_ms    bigint,
    ended_at       timestamptz NOT NULL,
    -- of one that waited in the queue
    queue_state    text CHECK (queue_state IN ('delivered', 'failed', 'expired', 'dropped')),
    kind           text        NOT NULL,
    sender_id      uuid,
    priority       integer     NOT NULL,
    attempts       integer     NOT NULL,
    enqueued_at    timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

-- The queue as operators list what has ended; and the answers to people, which live events tell of.
CREATE INDEX delivery_outcomes_queued ON delivery_outcomes (ended_at, workspace_id) WHERE queue_state IS NOT NULL;
CREATE INDEX delivery_outcomes_to_people ON delivery_outcomes (ended_at)
    WHERE sender_id IS NULL AND kind = 'message' AND response IS NOT NULL;

-- The ledger of delegations: who asked whom for what, and how that stands. Until a delegation ends, nothing changes that
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
CREATE INDEX delegations_in_flight ON delegations (deadline) WHERE ended_as IS NULL;

-- Runtime events: what sandboxes say of their runs, as it was sent, and folded into runs. One stream a workspace. Whoever
-- adds to it locks its head first, draws numbers and time from it, and lets go with the commit; so numbers, times and
-- commits of a stream have one order. Everything that is folded is folded under that lock. A head is there as long as its
-- workspace, and what is kept of a stream goes with the head.
CREATE TABLE runtime_heads (
    workspace_id    uuid PRIMARY KEY,
    last_seq        bigint      NOT NULL DEFAULT 0,
    last_created_at timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- Runs, named by the number of their first event. A row changes with every batch of its run, but no indexed column does
-- before its end, so that updates stay heap-only. Its output is elsewhere: 64 KiB would be written again for every chunk.
CREATE TABLE runtime_runs (
    workspace_id  uuid        NOT NULL,
    first_seq     bigint      NOT NULL,
    -- 128 bits of a hash of the name, which may be too long for an index
    task_key      uuid        NOT NULL,
    task_name     text        NOT NULL,
    -- null when nobody told of its start
    runtime_name  text,
    language      text,
    exit_code     integer,
    -- unsigned, of 64 bits
    duration_ms   numeric(20),
    error_kind    text,
    error_message text,
    -- of all that it has written, kept or not
    stdout_bytes  bigint      NOT NULL DEFAULT 0,
    stderr_bytes  bigint      NOT NULL DEFAULT 0,
    started_at    timestamptz NOT NULL,
    last_event_at timestamptz NOT NULL,
    ended_at      timestamptz,
    -- its workspace went away while it ran, or the next run of the task began; it may still tell of its end
    lost_at       timestamptz,
    PRIMARY KEY (workspace_id, first_seq)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX runtime_runs_of_task ON runtime_runs (workspace_id, task_key, first_seq);
CREATE INDEX runtime_runs_running ON runtime_runs (workspace_id) WHERE ended_at IS NULL AND lost_at IS NULL;
CREATE INDEX runtime_runs_by_start ON runtime_runs (started_at);

-- The stream as it was accepted: a row for as many events as came together, up to 64 KiB of them, since a row, its two
-- index entries and the names of JSON fields cost more than a chunk; in a row of some length they are compressed away.
-- An event is found by its number, which its id holds, so events have no index of their own.
CREATE TABLE runtime_segments (
    workspace_id uuid        NOT NULL,
    last_seq     bigint      NOT NULL,
    events       integer     NOT NULL CHECK (events > 0),
    created_at   timestamptz NOT NULL,
    -- a JSON array of [number of the run, type, payload]; "text", which tells its length without being read
    body         text        NOT NULL,
    PRIMARY KEY (workspace_id, last_seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

CREATE INDEX runtime_segments_by_age ON runtime_segments (created_at);

-- The end of what each run has written: pieces are added, and deleted when 64 KiB have come after them; so a byte is
-- written once, however small the chunks.
CREATE TABLE runtime_output (
    workspace_id uuid    NOT NULL,
    run_seq      bigint  NOT NULL,
    is_error     boolean NOT NULL,
    -- how many bytes the run has written to the stream up to here
    ends_at      bigint  NOT NULL,
    piece        text    NOT NULL,
    PRIMARY KEY (workspace_id, run_seq, is_error, ends_at)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
