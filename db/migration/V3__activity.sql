-- The activity log: one feed a workspace, whose order is made by the lock on its head.

-- Since when an agent has been at work without a pause, by its beats; a fleet's stalled agents are looked for by it. First
-- of all, since beats come before workspaces wherever both are locked; and rather than let beats queue up behind it, fail.
SET LOCAL lock_timeout = '2s';
ALTER TABLE workspace_beats ADD COLUMN busy_since timestamptz;

-- Whoever appends locks the head first, draws numbers and times from it, and lets go with the commit. So within a feed the
-- order of seq, of created_at and of commits is the same, and a reader who pages by seq skips nothing.
CREATE TABLE activity_feeds (
    workspace_id    uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    last_seq        bigint      NOT NULL DEFAULT 0,
    last_created_at timestamptz NOT NULL DEFAULT 'epoch',
    last_acked_seq  bigint      NOT NULL DEFAULT 0,
    -- the newest row that the workspace's own agent wrote (source "self"); stalled agents are known by its age
    last_own_at     timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- A head is there as long as its workspace, so that appends have something to lock, or to find locked; also when a server
-- that knows nothing of feeds makes the workspace.
CREATE FUNCTION begin_activity_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO activity_feeds (workspace_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE TRIGGER workspaces_begin_feeds AFTER INSERT ON workspaces FOR EACH ROW EXECUTE FUNCTION begin_activity_feed();

INSERT INTO activity_feeds (workspace_id) SELECT id FROM workspaces;

-- No foreign key to workspaces: the head has one, and a row here would lock its workspace's row for nothing.
CREATE TABLE activity_logs (
    id             uuid PRIMARY KEY,
    workspace_id   uuid        NOT NULL,
    seq            bigint      NOT NULL,
    activity_type  text        NOT NULL,
    source         text        NOT NULL CHECK (source IN ('canvas_user', 'peer_agent', 'system', 'self')),
    source_id      uuid,
    target_id      uuid,
    method         text,
    summary        text,
    -- "json", not "jsonb": bodies come back as they were sent, escapes that jsonb refuses included
    request_body   json,
    response_body  json,
    tool_trace     json,
    duration_ms    bigint,
    status         text        NOT NULL,
    error_detail   text,
    message_id     text,
    delegation_id  text,
    -- what the bodies say, taken out when the row is written, so that no read has to take them apart
    message_text   text,
    attachments    json,
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
    created_at     timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1);

CREATE UNIQUE INDEX activity_logs_in_order ON activity_logs (workspace_id, seq);
CREATE INDEX activity_logs_by_time ON activity_logs (workspace_id, created_at);
CREATE INDEX activity_logs_of_type ON activity_logs (workspace_id, activity_type, seq);
-- the inbox: what a poller polls, and what a canvas shows as the chat
CREATE INDEX activity_logs_inbox ON activity_logs (workspace_id, seq) WHERE activity_type = 'a2a_receive' AND source <> 'self';
CREATE INDEX activity_logs_chat ON activity_logs (workspace_id, seq) WHERE source = 'canvas_user' OR (source = 'self' AND source_id IS NULL);
CREATE INDEX activity_logs_with_peer ON activity_logs (workspace_id, peer_id, seq) WHERE peer_id IS NOT NULL;
CREATE UNIQUE INDEX activity_logs_messages ON activity_logs (workspace_id, message_key, source_id) NULLS NOT DISTINCT
    WHERE message_key IS NOT NULL;
