-- How a message is delivered, whenever its delivery begins.
ALTER TABLE activity_logs
    ADD COLUMN delivery_kind text,
    ADD COLUMN priority      integer,
    ADD COLUMN expires_at    timestamptz;

COMMENT ON COLUMN activity_logs.delivery_kind IS 'message, delegation or result, see MessageAdmission.Kind; null for a row that is not for delivery, and for an older message, which counts as message';
COMMENT ON COLUMN activity_logs.priority IS 'From 0 to 100; null where delivery_kind is, and counts as 50';
COMMENT ON COLUMN activity_logs.expires_at IS 'Until when it may wait to be delivered; null for older messages, and counts as A2A_QUEUE_TTL_S after the message was stored';

-- Messages in feeds that a change of the delivery mode may still put into a queue.
UPDATE activity_logs l SET delivery_kind = 'result', priority = 100
FROM activity_feeds f
WHERE l.workspace_id = f.workspace_id AND l.class = 's' AND l.seq > greatest(f.read_seq, f.last_acked_seq, f.delivered_seq);

UPDATE activity_logs l SET delivery_kind = 'delegation', priority = 50,
    expires_at = CASE
        WHEN d.terminal_status IS NULL
            AND l.message_id = d.delegation_id || CASE WHEN d.retry_count > 0 THEN '~' || d.retry_count ELSE '' END
        THEN d.deadline + interval '15 min'
    END
FROM delegations d, activity_feeds f
WHERE l.workspace_id = d.callee_id AND l.source_id = d.caller_id AND left(l.delegation_id, 128) = d.delegation_id
    AND (l.message_id = d.delegation_id OR starts_with(l.message_id, d.delegation_id || '~'))
    AND f.workspace_id = l.workspace_id AND l.seq > greatest(f.read_seq, f.last_acked_seq, f.delivered_seq);
