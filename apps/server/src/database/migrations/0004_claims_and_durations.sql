ALTER TABLE "runs" ADD COLUMN "releases" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "duration_ms" bigint;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "claim" smallint DEFAULT 0 NOT NULL;