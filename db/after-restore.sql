-- Runs after the rows of a backup were restored, in the same transaction.

-- Numbers that were given after the backup are not given again, to other events: streams tell their clients of the gap.
UPDATE event_head SET last_seq = last_seq + 1000000;

-- People sign in again: who ended a session after the backup does not find it open again.
UPDATE console_sessions SET ended_at = now() WHERE ended_at IS NULL;
