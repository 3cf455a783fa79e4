CREATE TABLE "run_deletions" (
	"workflow_id" uuid PRIMARY KEY NOT NULL,
	"workflow_name" text NOT NULL,
	"owner_id" uuid NOT NULL,
	"runs_deleted" bigint DEFAULT 0 NOT NULL,
	"runs_total" bigint,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
