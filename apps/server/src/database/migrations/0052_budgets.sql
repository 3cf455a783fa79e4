ALTER TABLE "users" ADD COLUMN "daily_budget_usd" double precision;--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "execution_key" text;--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "cached_tokens" integer;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "run_budget_usd" double precision;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "daily_budget_usd" double precision;--> statement-breakpoint
CREATE INDEX "traces_workflow_cost" ON "traces" USING btree ("workflow_id","created_at","cost_usd") WHERE "traces"."cost_usd" is not null and "traces"."workflow_id" is not null;--> statement-breakpoint
CREATE INDEX "traces_user_cost" ON "traces" USING btree ("user_id","created_at","cost_usd") WHERE "traces"."cost_usd" is not null;