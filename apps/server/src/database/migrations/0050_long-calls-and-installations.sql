-- safe: bigint holds every value that the version before writes, and that version reads it as a number
CREATE TABLE "installation" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	CONSTRAINT "installation_is_only" CHECK ("installation"."is_only")
);
--> statement-breakpoint
ALTER TABLE "eval_results" ALTER COLUMN "latency_ms" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "traces" ALTER COLUMN "elapsed_ms" SET DATA TYPE bigint;