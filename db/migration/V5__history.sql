-- The history of statuses, for the console's time machine. A job writes it from the recorded events, so nothing here is
-- on the path of a heartbeat.

-- Stays that have ended. "seq" is the number of the event that began the stay; 0 where that event was not kept.
CREATE TABLE status_spells (
    workspace_id    uuid        NOT NULL,
    since           timestamptz NOT NULL,
    seq             bigint      NOT NULL,
    until           timestamptz NOT NULL CHECK (until >= since),
    status          text        NOT NULL,
    degraded_reason text,
    error           text,
    PRIMARY KEY (workspace_id, since, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);

COMMENT ON TABLE status_spells IS 'For how long a workspace had a status; a stay without a length was never seen';
COMMENT ON COLUMN status_spells.until IS 'Where the next stay of the workspace begins; or its removal';

-- The fleet at one time, and the deletion by age.
CREATE INDEX status_spells_at ON status_spells USING gist (tstzrange(since, until));
CREATE INDEX status_spells_ended ON status_spells (until);

-- The stay that lasts; one row for each workspace that is not removed.
CREATE TABLE status_open (
    workspace_id    uuid        PRIMARY KEY,
    since           timestamptz NOT NULL,
    seq             bigint      NOT NULL,
    status          text        NOT NULL,
    degraded_reason text,
    error           text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- How far the history goes.
CREATE TABLE history_head (
    only_row   boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    last_seq   bigint      NOT NULL,
    began_at   timestamptz NOT NULL,
    up_to      timestamptz NOT NULL,
    minutes_to timestamptz NOT NULL,
    minute_seq bigint      NOT NULL
);

COMMENT ON COLUMN history_head.last_seq IS 'The number of the last event that is in it';
COMMENT ON COLUMN history_head.began_at IS 'Nothing is known of what was before';
COMMENT ON COLUMN history_head.up_to IS 'What was committed a few seconds before this time is in it';
COMMENT ON COLUMN history_head.minutes_to IS 'The last minute of fleet_minutes';
COMMENT ON COLUMN history_head.minute_seq IS 'The number of the last event when that minute was written';

-- The fleet at the full minute, and what happened in the minute before.
CREATE TABLE fleet_minutes (
    minute         timestamptz PRIMARY KEY,
    awaiting_agent integer NOT NULL,
    online         integer NOT NULL,
    degraded       integer NOT NULL,
    offline        integer NOT NULL,
    paused         integer NOT NULL,
    failed         integer NOT NULL,
    other          integer NOT NULL,
    transitions    integer NOT NULL,
    -- null for minutes that were written later
    events         bigint,
    heartbeats          integer,
    queued         integer,
    in_flight      integer
);

COMMENT ON COLUMN fleet_minutes.other IS 'With any other status';
COMMENT ON COLUMN fleet_minutes.transitions IS 'Stays that began';
COMMENT ON COLUMN fleet_minutes.heartbeats IS 'Workspaces that had sent a heartbeat since the minute before';
COMMENT ON COLUMN fleet_minutes.queued IS 'Messages in the queue';
COMMENT ON COLUMN fleet_minutes.in_flight IS 'Delegations that had not ended';
