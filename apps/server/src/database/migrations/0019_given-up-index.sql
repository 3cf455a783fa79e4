-- online
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_error_due" ON "runs" USING btree ("id") WHERE "runs"."error_run_due";
