-- Polls without a cursor start behind the messages that were delivered by push. An agent that was called for long and
-- polls from now on would otherwise pass all of them by with each poll.
ALTER TABLE activity_feeds ADD COLUMN delivered_seq bigint NOT NULL DEFAULT 0;

COMMENT ON COLUMN activity_feeds.delivered_seq IS 'Up to here each message of the feed was delivered by push; moved in the background when polls without a cursor need it';
