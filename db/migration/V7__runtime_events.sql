-- Runtime events: what sandboxes say of their runs, as it was sent, and folded into runs.

-- The status trigger first: beats come before workspaces wherever both are locked; and rather than let beats queue up
-- behind it, fail.
SET LOCAL lock_timeout = '2s';

-- One stream a workspace. Whoever adds to it locks its head first, draws numbers and time from it, and lets go with the
-- commit; so numbers, times and commits of a stream have one order. Everything that is folded is folded under that lock.
CREATE TABLE runtime_heads (
    workspace_id    uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    last_seq        bigint      NOT NULL DEFAULT 0,
    last_created_at timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- Runs, named by the number of their first event. A row changes with every batch of its run, but no indexed column does
-- before its end, so that updates stay heap-only. Its output is elsewhere: 64 KiB would be written again for every chunk.
CREATE TABLE runtime_runs (
    workspace_id  uuid        NOT NULL REFERENCES runtime_heads (workspace_id) ON DELETE CASCADE,
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
    workspace_id uuid        NOT NULL REFERENCES runtime_heads (workspace_id) ON DELETE CASCADE,
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
    PRIMARY KEY (workspace_id, run_seq, is_error, ends_at),
    FOREIGN KEY (workspace_id, run_seq) REFERENCES runtime_runs (workspace_id, first_seq) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.05);

-- In the transaction of the status change, so that no crash can come in between, and whoever makes the change: also a
-- server that knows nothing of runs. The head is locked first, in a statement of its own: the second one then sees the
-- runs of whoever held it.
CREATE FUNCTION lose_runtime_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM runtime_heads WHERE workspace_id = NEW.workspace_id FOR NO KEY UPDATE;
    UPDATE runtime_runs SET lost_at = greatest(clock_timestamp(), last_event_at)
    WHERE workspace_id = NEW.workspace_id AND ended_at IS NULL AND lost_at IS NULL;
    RETURN NULL;
END $$;

CREATE TRIGGER beats_lose_runtime_runs AFTER UPDATE OF status ON workspace_beats FOR EACH ROW
    WHEN (NEW.status IN ('offline', 'removed') AND OLD.status <> NEW.status) EXECUTE FUNCTION lose_runtime_runs();

-- A head is there as long as its workspace, so that there is something to lock.
CREATE FUNCTION begin_runtime_stream() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO runtime_heads (workspace_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE TRIGGER workspaces_begin_runtime_streams AFTER INSERT ON workspaces
    FOR EACH ROW EXECUTE FUNCTION begin_runtime_stream();

INSERT INTO runtime_heads (workspace_id) SELECT id FROM workspaces;
