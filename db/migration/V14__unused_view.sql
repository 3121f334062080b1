-- Nothing reads it since stalls have a time (V13).
DROP VIEW api_workspace_stall;
