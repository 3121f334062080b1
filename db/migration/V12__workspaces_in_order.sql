-- Only statements that say "created_at < 'infinity'" can use these indexes. To a planner without statistics "removed_at IS NULL"
-- holds for few rows: it would search the whole index for the workspaces with some ids, or some parent, that are not removed.
DROP INDEX workspaces_in_order;
DROP INDEX workspaces_roots;
CREATE INDEX workspaces_in_order ON workspaces (created_at, id) WHERE removed_at IS NULL AND created_at < 'infinity';
CREATE INDEX workspaces_roots ON workspaces (created_at, id)
    WHERE removed_at IS NULL AND parent_id IS NULL AND created_at < 'infinity';
