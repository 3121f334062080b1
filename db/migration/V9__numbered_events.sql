-- Events get their numbers after they are recorded: until then they are in no index by number, which made each of them cost
-- three entries more.

SET LOCAL lock_timeout = '2s';

DROP INDEX events_by_seq;
DROP INDEX events_of_workspace;
DROP INDEX events_of_type;
CREATE UNIQUE INDEX events_by_seq ON events (seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_workspace ON events (workspace_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_type ON events (event_type, seq) WHERE seq IS NOT NULL;
