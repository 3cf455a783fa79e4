ALTER TABLE "run_places" ADD COLUMN "place_key" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "place_key" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "concurrency_key" text;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "queue_limit" integer;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "queue_overflow" text DEFAULT 'refuse' NOT NULL;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "priority" integer DEFAULT 0 NOT NULL;