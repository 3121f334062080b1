-- Deletions by age have a scheduler of their own, which must not share a table with that of the sweeps: each would take
-- the other's jobs for jobs that nobody knows any more.

SET LOCAL lock_timeout = '2s';

CREATE TABLE retention_jobs (LIKE recurring_jobs INCLUDING ALL);

DELETE FROM recurring_jobs WHERE task_name LIKE '%-retention';

-- The queue as operators list it, the oldest first.
CREATE INDEX a2a_queue_open ON a2a_queue (enqueued_at, queue_id) WHERE state IN ('waiting', 'delivering');
