-- Liveness: the jobs that one replica at a time runs, what became of their runs, and since when the control plane is up.

-- db-scheduler's table, under our name; a handful of rows.
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

-- Our own absence: "alive_until" is moved on while any replica is fit, "up_since" is when one was fit again after a gap.
-- "hold_since" is set while too many are silent at once to be believed.
CREATE TABLE control_plane_uptime (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    up_since    timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    hold_since  timestamptz
);

INSERT INTO control_plane_uptime (up_since, alive_until) VALUES (now(), now());
