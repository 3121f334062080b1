-- Finds the delegations of a workspace that are in flight, or ended in one way, among any number of others.
-- Statements that do not name the expression keep to the other indexes.
CREATE INDEX delegations_sent_by_end ON delegations (caller_id, coalesce(terminal_status, 'in_flight'), created_at, id);
CREATE INDEX delegations_received_by_end ON delegations (callee_id, coalesce(terminal_status, 'in_flight'), created_at, id);

-- Targets whose outcome is stored. Those between handled and stored are removed, and their delegations and messages are ending.
ALTER TABLE bulk_runs ADD COLUMN stored integer NOT NULL DEFAULT 0;
UPDATE bulk_runs SET stored = handled;

-- The two halves of a uuid, combined. PostgreSQL puts functions of one expression into the statements that call them.
CREATE FUNCTION uuid_halves(id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    ('x' || translate(substr(id::text, 1, 18), '-', ''))::bit(64)::bigint
    # ('x' || translate(substr(id::text, 20), '-', ''))::bit(64)::bigint;

-- The part of the id of an activity that says in which feed it is, as RowId computes it.
CREATE FUNCTION feed_bits(workspace_id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    (uuid_halves(workspace_id) # (uuid_halves(workspace_id) >> 30) # ((uuid_halves(workspace_id) >> 60) & 15)) & 1073741823;

CREATE INDEX workspaces_by_feed_bits ON workspaces (feed_bits(id));
