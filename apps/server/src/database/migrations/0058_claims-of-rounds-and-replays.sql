ALTER TABLE "board_rounds" ADD COLUMN "claim_id" uuid;--> statement-breakpoint
ALTER TABLE "replay_jobs" ADD COLUMN "claim_id" uuid;