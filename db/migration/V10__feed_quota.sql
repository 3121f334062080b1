-- How much of a feed is unread, by which it is bounded (R6.7a).

SET LOCAL lock_timeout = '2s';

ALTER TABLE activity_feeds
    -- the highest row that the workspace's own token polled after; written in the background
    ADD COLUMN read_seq    bigint NOT NULL DEFAULT 0,
    -- the bytes of all rows that were ever appended
    ADD COLUMN total_bytes bigint NOT NULL DEFAULT 0,
    -- from where unread rows are counted, and the total there; moved on only when the feed seems to be full
    ADD COLUMN quota_seq   bigint NOT NULL DEFAULT 0,
    ADD COLUMN quota_bytes bigint NOT NULL DEFAULT 0;

-- The feed's total before this row, so that one look-up tells the total at any position; null in rows that are older.
ALTER TABLE activity_logs ADD COLUMN feed_bytes bigint;
