CREATE TABLE "replay_job_refusals" (
	"job_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"message" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "replay_job_refusals_job_id_reason_pk" PRIMARY KEY("job_id","reason")
);
--> statement-breakpoint
CREATE TABLE "replay_job_runs" (
	"job_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"failures" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "replay_job_runs_job_id_run_id_pk" PRIMARY KEY("job_id","run_id")
);
--> statement-breakpoint
CREATE TABLE "replay_jobs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"requested_by" uuid NOT NULL,
	"client_ip" text NOT NULL,
	"state" text NOT NULL,
	"origin" text NOT NULL,
	"version" text NOT NULL,
	"rate" integer NOT NULL,
	"total" integer NOT NULL,
	"replayed" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"next_slice_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "replay_job_refusals" ADD CONSTRAINT "replay_job_refusals_job_id_replay_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."replay_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replay_job_runs" ADD CONSTRAINT "replay_job_runs_job_id_replay_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."replay_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replay_jobs" ADD CONSTRAINT "replay_jobs_requested_by_users_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "replay_jobs_due" ON "replay_jobs" USING btree ("next_slice_at") WHERE "replay_jobs"."state" = 'running';--> statement-breakpoint
CREATE INDEX "replay_jobs_person" ON "replay_jobs" USING btree ("requested_by","created_at");--> statement-breakpoint
CREATE INDEX "replay_jobs_finished" ON "replay_jobs" USING btree ("finished_at") WHERE "replay_jobs"."finished_at" is not null;