-- online
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_dispatched" ON "runs" USING btree (substr("idempotency_key", 1, 36)) WHERE "runs"."parent_run_id" is null and "runs"."root_run_id" is not null;