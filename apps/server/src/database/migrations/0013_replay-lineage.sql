ALTER TABLE "runs" ADD COLUMN "replay_of" uuid;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "replay_from" text;