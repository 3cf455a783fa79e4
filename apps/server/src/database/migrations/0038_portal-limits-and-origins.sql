ALTER TABLE "workflows" ADD COLUMN "portal_rate_limit_requests" integer;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "portal_rate_limit_window_seconds" integer;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "portal_allowed_origins" text DEFAULT '[]' NOT NULL;