-- Fills every table of the schema that grows, for StatementPlansTest: some ten thousand rows each. The ids, numbers and texts
-- are those of SampleValues, so that statements with its values find rows. It creates nothing: that would discard plans.

INSERT INTO workspaces (id, name, role, tier, parent_id, runtime, url, delivery_mode, max_concurrent_tasks, agent_card, x, y,
    created_at, updated_at, removed_at)
SELECT sample.u(n), 'agent ' || n, 'worker', 1 + n % 3, CASE WHEN n >= 10 THEN sample.u(n / 10) END, 'external',
    'http://agent.test/' || n, CASE WHEN n % 2 = 0 THEN 'poll' ELSE 'push' END, 4, '{"name":"agent"}', n % 100, n / 100,
    now() - n * interval '1 minute', now() - n * interval '1 minute', CASE WHEN n % 20 = 19 THEN now() - interval '1 day' * CASE WHEN n % 400 = 19 THEN 91 ELSE 10 END END
FROM generate_series(1, 20000) AS n;

INSERT INTO workspace_heartbeats (workspace_id, status, status_since, degraded_reason, last_heartbeat_at, active_tasks, stalled,
    busy_since, restart_requested_at)
SELECT sample.u(n), status, now() - n * interval '1 s', CASE status WHEN 'degraded' THEN 'error_rate' END,
    now() - n * interval '10 ms', n % 3, n % 500 = 3, CASE WHEN n % 3 > 0 THEN now() - n * interval '1 s' END,
    CASE WHEN n % 1000 = 7 THEN now() END
FROM generate_series(1, 20000) AS n CROSS JOIN LATERAL (
    SELECT CASE WHEN n % 20 = 19 THEN 'removed' WHEN n % 10 = 2 THEN 'degraded' WHEN n % 10 = 3 THEN 'offline'
        WHEN n % 100 = 5 THEN 'paused' ELSE 'online' END AS status) AS at;

INSERT INTO workspace_tokens (id, workspace_id, hash, prefix, created_at, last_used_at, revoked_at, revoked_by)
SELECT sample.u(n), sample.u(1 + n / 2), sample.h(n), 'mst_', now() - n * interval '1 minute', CASE WHEN n % 3 > 0 THEN now() END,
    CASE WHEN n % 10 = 9 THEN now() - n * interval '10 minutes' END, CASE WHEN n % 10 = 9 THEN 'operator' END
FROM generate_series(1, 30000) AS n;

INSERT INTO workspace_registrations (workspace_id, registered_at, body_hash, remote_address, token_id)
SELECT sample.u(n), now(), sample.h(n), '127.0.0.1', sample.u(n) FROM generate_series(1, 20000) AS n;

INSERT INTO removed_workspaces (id, removed_at) SELECT sample.u(100000 + n), now() FROM generate_series(1, 20000) AS n;

INSERT INTO role_tokens (id, name, role, hash, prefix, created_by, created_at, expires_at, last_used_at, revoked_at)
SELECT sample.u(n), 'token ' || n, CASE WHEN n % 2 = 0 THEN 'viewer' ELSE 'operator' END, sample.h(n), 'msr_', 'admin',
    now() - n * interval '1 hour', CASE WHEN n % 2 = 0 THEN now() + (n - 5000) * interval '1 hour' END, now(),
    CASE WHEN n % 10 <> 7 THEN now() - n * interval '1 hour' END
FROM generate_series(1, 10000) AS n;

INSERT INTO operator_actions (id, at, who, role, credential_id, action, targets, outcome, request_id)
SELECT sample.u(n), now() - n * interval '10 minutes', 'operator', 'operator', sample.u(n), 'POST /workspaces/{id}/pause',
    ARRAY[sample.u(n)::text], 'done', 'r-' || n
FROM generate_series(1, 20000) AS n;

INSERT INTO console_links (id, hash, role, name, maker_hash, created_at, expires_at, redeemed_at)
SELECT sample.u(n), sample.h(n), 'viewer', 'viewer', sample.h(n % 100), now() - n * interval '1 hour',
    now() - (n - 50) * interval '1 hour', CASE WHEN n > 60 THEN now() END
FROM generate_series(1, 3000) AS n;

INSERT INTO console_sessions (id, cookie_hash, page_hash, role, name, workspace_id, maker_hash, created_at, expires_at,
    last_used_at, ended_at)
SELECT sample.u(n), sample.h(n), sample.h(n), 'viewer', 'viewer', NULL, sample.h(n % 100), now() - n * interval '1 hour',
    now() - (n - 100) * interval '1 hour', now() - n * interval '1 minute', CASE WHEN n > 110 THEN now() - n * interval '1 hour' END
FROM generate_series(1, 10000) AS n;

INSERT INTO events (id, seq, event_type, workspace_id, payload, created_at)
SELECT sample.u(n), CASE WHEN n <= 40000 THEN n END, CASE n % 4 WHEN 0 THEN 'WORKSPACE_PAUSED' WHEN 1 THEN 'WORKSPACE_ONLINE'
    WHEN 2 THEN 'TASK_UPDATED' ELSE 'DELEGATION_SENT' END, sample.u(1 + n % 5000), '{"a":1}', now() - (40100 - n) * interval '1 minute'
FROM generate_series(1, 40010) AS n;
UPDATE event_head SET last_seq = 40000;

-- The feeds 7, 8 and 9 have a thousand rows, those of 9 old ones; each other one has four.
INSERT INTO activity_feeds (workspace_id, last_seq, last_created_at, last_own_at, total_bytes)
SELECT sample.u(n), CASE WHEN n IN (7, 8, 9) THEN 1000 ELSE 4 END, now() - n * interval '1 minute',
    now() - n * interval '1 minute', 4000
FROM generate_series(1, 20000) AS n;

INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, source_id, target_id, method, summary, request_body,
    duration_ms, status, message_id, delegation_id, message_text, request_bytes, listed_bytes, message_key, content_hash,
    created_at, feed_bytes)
SELECT sample.u(feed), seq, class, CASE class WHEN 'L' THEN 'agent_log' ELSE 'a2a_receive' END, source,
    CASE source WHEN 'peer_agent' THEN sample.u(1 + seq % 20) WHEN 'self' THEN sample.u(feed) END, sample.u(feed), 'message/send',
    'some words of a summary', '{"a":1}', 3, 'ok', CASE WHEN class <> 'L' THEN 'm-' || seq END,
    CASE WHEN class = 'p' THEN feed::text END, 'hello', 7, 100, CASE WHEN class <> 'L' THEN sample.h(seq) END, sample.h(seq),
    now() - CASE feed WHEN 9 THEN 50000 ELSE feed END * interval '5 minutes' + seq * interval '1 s', seq * 100
FROM generate_series(1, 20000) AS feed
CROSS JOIN LATERAL generate_series(1, CASE WHEN feed IN (7, 8, 9) THEN 1000 ELSE 4 END) AS seq
CROSS JOIN LATERAL (SELECT
    CASE seq % 4 WHEN 0 THEN 'L' WHEN 1 THEN 'c' WHEN 2 THEN 's' ELSE 'p' END,
    CASE seq % 4 WHEN 0 THEN 'self' WHEN 1 THEN 'canvas_user' WHEN 2 THEN 'system' ELSE 'peer_agent' END) AS of_row (class, source);

INSERT INTO replicas (id, name, started_at, alive_until) VALUES (sample.u(1), 'one', now(), now() + interval '1 hour');

-- The queues of 7, 8 and 9 are long. Of those, replica 1 delivers every fiftieth; replica 2, which is dead, others.
INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at, owner, claim,
    claimed_at)
SELECT sample.u(feed), seq, sample.u(1 + seq % 20), CASE seq % 5 WHEN 0 THEN 'delegation' WHEN 1 THEN 'result' ELSE 'message' END,
    true, seq, 50, now() - feed * interval '1 s', now() - interval '1 s',
    CASE WHEN feed % 1000 = 5 THEN now() - interval '1 s' ELSE now() + interval '1 hour' END,
    owner, CASE WHEN owner IS NOT NULL THEN seq END, CASE WHEN owner IS NOT NULL THEN now() - interval '1 hour' END
FROM generate_series(1, 5000) AS feed
CROSS JOIN LATERAL generate_series(1, CASE WHEN feed IN (7, 8, 9) OR feed BETWEEN 100 AND 139 THEN 900 ELSE 4 END) AS seq
CROSS JOIN LATERAL (SELECT CASE WHEN seq % 50 = 7 AND feed < 100 THEN sample.u(1) WHEN feed % 500 = 4 AND seq = 4 THEN sample.u(2) END) AS held (owner);

INSERT INTO delivery_outcomes (workspace_id, seq, state, owner, claim, deliveries, answer_status, answer_type, response,
    response_bytes, listed_bytes, status, duration_ms, ended_at, queue_state, kind, sender_id, priority, attempts, enqueued_at,
    expires_at)
SELECT workspace_id, seq, CASE WHEN seq % 20 = 2 THEN 'refused' ELSE 'answered' END, sample.u(1), seq, 1, 200, 'application/json',
    '{"a":1}', 7, 7, 'ok', 3, created_at, CASE WHEN seq % 3 = 0 THEN 'delivered' WHEN seq % 100 = 10 THEN 'failed' END, 'message',
    source_id, 50, 1, created_at, created_at
FROM activity_logs WHERE class <> 'L' AND seq <> 7 AND (workspace_id > sample.u(5000) OR seq > 4);

INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline, dispatched_at,
    last_heartbeat, idempotency_key, parent_delegation_id, created_at, updated_at)
SELECT n::text, sample.u(n), sample.u(1 + n % 3000), sample.u(1 + n % 2500), 'a task', status, 3600,
    now() + (n % 5000 - 20) * interval '1 minute', now() - n * interval '10 minutes', now() - interval '10 s', n::text,
    CASE WHEN n > 10 THEN (n / 10)::text END, now() - n * interval '10 minutes', now() - n * interval '10 minutes'
FROM generate_series(1, 30000) AS n CROSS JOIN LATERAL (
    SELECT CASE n % 6 WHEN 1 THEN 'in_progress' WHEN 2 THEN CASE n % 120 WHEN 2 THEN 'queued' WHEN 8 THEN 'stuck' ELSE 'dispatched' END
        WHEN 3 THEN 'failed' ELSE 'completed' END AS status) AS one;

INSERT INTO runtime_heads (workspace_id, last_seq, last_created_at)
SELECT sample.u(n), 10, now() - n * interval '1 minute' FROM generate_series(1, 20000) AS n;

INSERT INTO runtime_runs (workspace_id, first_seq, task_key, task_name, runtime_name, language, exit_code, duration_ms, stdout_bytes,
    started_at, last_event_at, ended_at)
SELECT sample.u(feed), seq, sample.u(seq % 20), (seq % 20)::text, 'python', 'python', 0, CASE WHEN seq % 4 > 0 OR feed % 20 > 0 THEN 5 END, seq,
    at, at, CASE WHEN seq % 4 > 0 OR feed % 20 > 0 THEN at END
FROM generate_series(1, 5000) AS feed
CROSS JOIN LATERAL generate_series(1, CASE WHEN feed IN (7, 8, 9) THEN 1000 ELSE 4 END) AS seq
CROSS JOIN LATERAL (SELECT now() - feed * interval '3 minutes' + seq * interval '1 s' AS at) AS one;

INSERT INTO runtime_segments (workspace_id, last_seq, events, created_at, body)
SELECT workspace_id, first_seq, 1, started_at, '[[1,"output",{}]]' FROM runtime_runs;

INSERT INTO runtime_output (workspace_id, run_seq, is_error, ends_at, piece)
SELECT workspace_id, first_seq, false, first_seq, 'words' FROM runtime_runs;

INSERT INTO webhook_head (last_seq, up_since) VALUES (40000, now());

INSERT INTO webhook_troubles (subject, workspace_id, target_id, status, reason, pattern, error, since, noticed_at, reported_in,
    well_at, well_reported_at)
SELECT n::text, sample.u(n), sample.u(n + 1), CASE n % 50 WHEN 0 THEN 'stalled' WHEN 1 THEN 'offline' ELSE 'failed' END, 'error_rate',
    (n % 200)::text, 'an error', now(), now(), CASE WHEN n % 100 > 0 THEN sample.u(n / 40) END,
    CASE WHEN n % 3 = 0 THEN now() END, CASE WHEN n % 6 = 0 THEN now() END
FROM generate_series(1, 15000) AS n;

INSERT INTO webhook_notifications (id, recovered, status, reason, pattern, body, created_at, next_attempt_at, attempts, ended_at)
SELECT sample.u(n), n % 2 = 0, 'failed', 'error_rate', (n % 200)::text, '{"text":"some words of a notification to people"}',
    now() - n * interval '1 minute', now(), 1, CASE WHEN n > 5 THEN now() - n * interval '1 minute' END
FROM generate_series(1, 15000) AS n;

INSERT INTO bulk_runs (id, action, cascade, who, targets, total, created_at, due_at, ended_at, undo_of)
SELECT sample.u(n), 'pause', false, 'operator', ARRAY[sample.u(7), sample.u(8), sample.u(9)], 3, now() - n * interval '10 minutes',
    now() - n * interval '1 hour', CASE WHEN n > 10 THEN now() END, CASE WHEN n % 2 = 0 THEN sample.u(n - 1) END
FROM generate_series(1, 10000) AS n;

INSERT INTO bulk_items (run_id, position, workspace_id, outcome, changed_at)
SELECT sample.u(run), position, sample.u(position), 'done', now()
FROM generate_series(1, 10000) AS run CROSS JOIN generate_series(1, 4) AS position;

INSERT INTO ended_status_periods (workspace_id, since, seq, until, previous, status)
SELECT sample.u(1 + n % 5000), at, n, at + interval '5 minutes', CASE WHEN n >= 5000 THEN 'online' END, 'offline'
FROM generate_series(1, 40000) AS n CROSS JOIN LATERAL (SELECT now() - (40000 - n) * interval '1 minute' AS at) AS one;

INSERT INTO open_status_periods (workspace_id, since, seq, previous, status)
SELECT sample.u(n), now() - n * interval '1 minute', n, CASE WHEN n % 100 > 0 THEN 'offline' END, 'online'
FROM generate_series(1, 20000) AS n;

INSERT INTO history_head (last_seq, began_at, up_to, minutes_to, minute_seq)
VALUES (40000, now() - interval '30 days', now(), date_trunc('minute', now()), 40000);

INSERT INTO fleet_minutes (minute, awaiting_agent, online, degraded, offline, paused, failed, other, transitions)
SELECT date_trunc('minute', now()) - n * interval '1 minute', 0, 1, 0, 0, 0, 0, 0, 0 FROM generate_series(1, 40000) AS n;

INSERT INTO unanswered_calls (workspace_id, since, last_at, calls, error)
SELECT sample.u(n), now() - n * interval '1 minute', now() - n * interval '1 second', 3, 'ConnectRefused: connection refused'
FROM generate_series(1, 10000) AS n;
