-- Changes of many workspaces at once, each run by a background loop of any replica.
CREATE TABLE bulk_runs (
    id         uuid PRIMARY KEY,
    action     text        NOT NULL CHECK (action IN ('pause', 'resume', 'restart', 'remove', 'message')),
    filter     text,
    cascade    boolean     NOT NULL,
    text       text,
    note       text,
    who        text        NOT NULL,
    audit_id   uuid,
    targets    uuid[]      NOT NULL,
    expected   timestamptz[],
    total      integer     NOT NULL,
    handled    integer     NOT NULL DEFAULT 0,
    done       integer     NOT NULL DEFAULT 0,
    skipped    integer     NOT NULL DEFAULT 0,
    failed     integer     NOT NULL DEFAULT 0,
    undo_of    uuid,
    created_at timestamptz NOT NULL,
    due_at     timestamptz NOT NULL,
    ended_at   timestamptz,
    cancelled  boolean     NOT NULL DEFAULT false
);

COMMENT ON TABLE bulk_runs IS 'Changes of many workspaces at once; a batch is one transaction that locks the row';
COMMENT ON COLUMN bulk_runs.filter IS 'The filter that found the targets; null when their ids were given';
COMMENT ON COLUMN bulk_runs.text IS 'The message, or the reason of a restart';
COMMENT ON COLUMN bulk_runs.audit_id IS 'The row of operator_actions that gets the result';
COMMENT ON COLUMN bulk_runs.targets IS 'Stored at the start; children before their parents';
COMMENT ON COLUMN bulk_runs.expected IS 'For an undo: when each target got the status that the undone run gave it; parallel to targets';
COMMENT ON COLUMN bulk_runs.due_at IS 'When its last batch ran, or until when it waits; the run with the earliest time is next';

CREATE INDEX bulk_runs_due ON bulk_runs (due_at) WHERE ended_at IS NULL;
CREATE INDEX bulk_runs_in_order ON bulk_runs (created_at, id);
CREATE UNIQUE INDEX bulk_runs_undone_once ON bulk_runs (undo_of) WHERE undo_of IS NOT NULL;

CREATE TABLE bulk_items (
    run_id       uuid        NOT NULL,
    position     integer     NOT NULL,
    workspace_id uuid        NOT NULL,
    outcome      text        NOT NULL CHECK (outcome IN ('done', 'skipped', 'failed')),
    code         text,
    detail       text,
    changed_at   timestamptz,
    PRIMARY KEY (run_id, position)
);

COMMENT ON TABLE bulk_items IS 'The outcome of a bulk run for each target that it has handled';
COMMENT ON COLUMN bulk_items.position IS 'The place in bulk_runs.targets, from 1';
COMMENT ON COLUMN bulk_items.changed_at IS 'Since when the target has the status that the run gave it';

ALTER TABLE operator_actions ADD COLUMN detail text;

COMMENT ON COLUMN operator_actions.detail IS 'What was changed, where the route does not say it: of a bulk run its targets and result';
