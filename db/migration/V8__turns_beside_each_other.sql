-- What turns cost each other: leases that are renewed in place, and one count by which to know that the tree is the same.

SET LOCAL lock_timeout = '2s';

-- An index on the lease made every renewal write all indexes of its row anew. What is being sent is little enough to be
-- looked through for lapsed leases.
DROP INDEX a2a_messages_leases;
CREATE INDEX a2a_messages_sending ON a2a_messages (activity_id) WHERE state = 'sending';

-- Grows with every change that can part two workspaces. Read together with a target, it says whether what was found of
-- the tree before still holds; a trigger counts, so that no writer can forget to.
CREATE TABLE workspace_tree (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version  bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO workspace_tree (version) VALUES (1);

-- Once a statement, however many workspaces it removes; changes of the tree are serialised already (R2.1).
CREATE FUNCTION count_tree_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM was JOIN became USING (id)
        WHERE was.parent_id IS DISTINCT FROM became.parent_id OR was.removed_at IS DISTINCT FROM became.removed_at)
    THEN
        UPDATE workspace_tree SET version = version + 1;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER workspaces_count_tree_changes AFTER UPDATE ON workspaces
    REFERENCING OLD TABLE AS was NEW TABLE AS became
    FOR EACH STATEMENT EXECUTE FUNCTION count_tree_change();
