-- online
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_history_status" ON "runs" USING btree ("workflow_id","status","id") WHERE "runs"."status" <> 'success' and "runs"."status" <> 'running';--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_history_source" ON "runs" USING btree ("workflow_id","trigger_source","id") WHERE "runs"."trigger_source" <> 'API';
