-- The ids of removed workspaces outlive their rows, so that none is ever given to another workspace.

CREATE TABLE removed_workspaces (
    id         uuid PRIMARY KEY,
    removed_at timestamptz NOT NULL
);
