-- The order of this index is that of no other one: a statement that asks for it reads this one, whatever PostgreSQL believes of
-- the others.
DROP INDEX deliveries_held;
CREATE INDEX deliveries_held ON deliveries (workspace_id, claimed_at) WHERE owner IS NOT NULL;
