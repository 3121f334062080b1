-- What is delivered to a target one after the other, in the order of the queue: the messages of one sender. Those of the
-- canvas and of the system are of one sender; delegations and results have no order, and no lane.
ALTER TABLE deliveries ADD COLUMN lane uuid GENERATED ALWAYS AS (
    CASE kind WHEN 'message' THEN coalesce(sender_id, '00000000-0000-0000-0000-000000000000') END) STORED;

-- The first entry of each lane is one index step away, however many entries wait.
DROP INDEX deliveries_queue;
CREATE INDEX deliveries_queue ON deliveries (workspace_id, kind, lane, priority DESC, enqueued_at, seq) WHERE queued;

-- The few that are being delivered, queued or not. A claim is no heap-only update because of this index, which costs less than
-- to look for these among all that wait.
CREATE INDEX deliveries_held ON deliveries (workspace_id) WHERE owner IS NOT NULL;

-- Only a statement that says "expires_at < 'infinity'" can use this index. A plan that is made while the table is empty
-- would use it for any entry that is queued, and then read the queues of all targets.
DROP INDEX deliveries_expiring;
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE queued AND expires_at < 'infinity';

COMMENT ON COLUMN deliveries.lane IS
    'Entries of one lane are delivered one after the other; null for kinds without an order';
