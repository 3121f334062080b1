-- Messages and feeds have one owner.
ALTER VIEW api_activity_feed RENAME TO api_message_feed;
ALTER VIEW api_activity_entry RENAME TO api_message_entry;
ALTER VIEW api_delivery_open RENAME TO api_message_open;
ALTER VIEW api_delivery_outcome RENAME TO api_message_outcome;
ALTER VIEW api_delivery_queue RENAME TO api_message_queue;

-- Only their owner read it.
DROP VIEW api_activity_message;
