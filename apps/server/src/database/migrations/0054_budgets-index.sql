-- online
CREATE INDEX CONCURRENTLY IF NOT EXISTS "traces_workflow_cost" ON "traces" USING btree ("workflow_id","created_at","cost_usd") WHERE "traces"."cost_usd" is not null and "traces"."workflow_id" is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "traces_user_cost" ON "traces" USING btree ("user_id","created_at","cost_usd") WHERE "traces"."cost_usd" is not null;