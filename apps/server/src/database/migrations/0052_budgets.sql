ALTER TABLE "users" ADD COLUMN "daily_budget_usd" double precision;--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "execution_key" text;--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "cached_tokens" integer;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "run_budget_usd" double precision;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "daily_budget_usd" double precision;