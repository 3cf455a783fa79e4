CREATE TABLE "replay_job_rests" (
	"job_id" uuid NOT NULL,
	"workflow_id" uuid NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "replay_job_rests_job_id_workflow_id_pk" PRIMARY KEY("job_id","workflow_id")
);
--> statement-breakpoint
ALTER TABLE "replay_jobs" ADD COLUMN "idempotency_key" text;--> statement-breakpoint
ALTER TABLE "replay_jobs" ADD COLUMN "request_hash" text;--> statement-breakpoint
ALTER TABLE "replay_job_rests" ADD CONSTRAINT "replay_job_rests_job_id_replay_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."replay_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "replay_jobs_key" ON "replay_jobs" USING btree ("requested_by","idempotency_key") WHERE "replay_jobs"."idempotency_key" is not null;