-- The history of statuses, for the console's time machine. A job writes it from the recorded events, so nothing here is
-- on the path of a heartbeat.

-- Status periods that have ended. "seq" is the number of the event that began the period; 0 if that event was deleted before.
CREATE TABLE ended_status_periods (
    workspace_id    uuid        NOT NULL,
    since           timestamptz NOT NULL,
    seq             bigint      NOT NULL,
    until           timestamptz NOT NULL CHECK (until >= since),
    previous        text,
    status          text        NOT NULL,
    degraded_reason text,
    error           text,
    PRIMARY KEY (workspace_id, since, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);

COMMENT ON TABLE ended_status_periods IS 'From when to when a workspace had a status; readers leave out periods of no length, unless the status is removed';
COMMENT ON COLUMN ended_status_periods.until IS 'The begin of the next period of the workspace, or its removal';
COMMENT ON COLUMN ended_status_periods.previous IS 'The status of the last period before that has a length; null if there is none';

-- For reading the fleet at one time.
CREATE INDEX ended_status_periods_at ON ended_status_periods USING gist (tstzrange(since, until));
-- For reading the changes between two times in their order, and which workspaces were new then.
CREATE INDEX ended_status_periods_since ON ended_status_periods (since);
CREATE INDEX ended_status_periods_first ON ended_status_periods (since) WHERE previous IS NULL;
-- For the deletion by age, and the minutes.
CREATE INDEX ended_status_periods_until ON ended_status_periods (until);

CREATE TABLE open_status_periods (
    workspace_id    uuid        PRIMARY KEY,
    since           timestamptz NOT NULL,
    seq             bigint      NOT NULL,
    previous        text,
    status          text        NOT NULL,
    degraded_reason text,
    error           text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE open_status_periods IS 'The present status period of each workspace that is not removed';

CREATE TABLE history_head (
    only_row   boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    last_seq   bigint      NOT NULL,
    began_at   timestamptz NOT NULL,
    up_to      timestamptz NOT NULL,
    minutes_to timestamptz NOT NULL,
    minute_seq bigint      NOT NULL
);

COMMENT ON TABLE history_head IS 'How far the history of statuses goes; one row';
COMMENT ON COLUMN history_head.only_row IS 'Always true: as the primary key it keeps the table at one row';
COMMENT ON COLUMN history_head.last_seq IS 'The number of the last event that the history includes';
COMMENT ON COLUMN history_head.began_at IS 'The begin of the history';
COMMENT ON COLUMN history_head.up_to IS 'The history includes all transitions that were committed a few seconds before this time';
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
    -- null for minutes that were not written at their time
    events         bigint,
    heartbeats     integer,
    queued         integer,
    in_flight      integer
);

COMMENT ON TABLE fleet_minutes IS 'How many workspaces had each status at the full minute, and what happened in the minute before';
COMMENT ON COLUMN fleet_minutes.other IS 'With any other status';
COMMENT ON COLUMN fleet_minutes.transitions IS 'Status periods that began';
COMMENT ON COLUMN fleet_minutes.heartbeats IS 'Workspaces that had sent a heartbeat since the minute before';
COMMENT ON COLUMN fleet_minutes.queued IS 'Messages in the queue';
COMMENT ON COLUMN fleet_minutes.in_flight IS 'Delegations that had not ended';
