-- What each replica reported of itself last. Rows of replicas that were killed are deleted after an hour.
CREATE TABLE replica_reports (
    replica          text PRIMARY KEY,
    version          text             NOT NULL,
    started_at       timestamptz      NOT NULL,
    seen_at          timestamptz      NOT NULL,
    heartbeats_s     double precision NOT NULL,
    streams          integer          NOT NULL,
    connections_used integer          NOT NULL,
    connections_max  integer          NOT NULL,
    commit_p99_ms    double precision
);

COMMENT ON TABLE replica_reports IS 'What each replica reported of itself last';
COMMENT ON COLUMN replica_reports.heartbeats_s IS 'Heartbeats a second that it stored, since its report before';
COMMENT ON COLUMN replica_reports.connections_used IS 'Of its pool of database connections, at the time of the report';
COMMENT ON COLUMN replica_reports.commit_p99_ms IS 'The p99 of its slowest kind of commit since its report before; null without a commit';
