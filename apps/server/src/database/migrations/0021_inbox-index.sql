-- online
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_inbox" ON "runs" USING btree ("workflow_id","id") WHERE "runs"."status" = 'error' and "runs"."dismissed_at" is null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_dismissed" ON "runs" USING btree ("workflow_id","id") WHERE "runs"."status" = 'error' and "runs"."dismissed_at" is not null;
