-- A page of the queue's ended messages reads those of its state alone.
DROP INDEX delivery_outcomes_queued;
CREATE INDEX delivery_outcomes_queued ON delivery_outcomes (queue_state, ended_at, workspace_id) WHERE queue_state IS NOT NULL;

-- A page of the queue begins where the page before ended. The condition on the time is always true; it keeps this index from
-- statements that look for the messages of one target and would read the whole queue by it.
CREATE INDEX deliveries_by_age ON deliveries (enqueued_at, workspace_id) WHERE queued AND enqueued_at < 'infinity';
