CREATE TABLE "analytics_latencies" (
	"workflow_id" uuid NOT NULL,
	"bucket_hours" smallint NOT NULL,
	"bucket_start" timestamp (3) with time zone NOT NULL,
	"latency_bucket" smallint NOT NULL,
	"samples" integer NOT NULL,
	CONSTRAINT "analytics_latencies_workflow_id_bucket_hours_bucket_start_latency_bucket_pk" PRIMARY KEY("workflow_id","bucket_hours","bucket_start","latency_bucket")
);
--> statement-breakpoint
CREATE TABLE "analytics_rebuilds" (
	"workflow_id" uuid PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone,
	"next_day" timestamp (3) with time zone,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "analytics_snapshots" (
	"workflow_id" uuid NOT NULL,
	"bucket_hours" smallint NOT NULL,
	"bucket_start" timestamp (3) with time zone NOT NULL,
	"total" integer NOT NULL,
	"success" integer NOT NULL,
	"error" integer NOT NULL,
	"latency_sample_count" integer NOT NULL,
	"total_latency_ms" bigint NOT NULL,
	"max_latency_ms" bigint NOT NULL,
	CONSTRAINT "analytics_snapshots_workflow_id_bucket_hours_bucket_start_pk" PRIMARY KEY("workflow_id","bucket_hours","bucket_start")
);
--> statement-breakpoint
CREATE TABLE "run_ends" (
	"workflow_id" uuid NOT NULL,
	"bucket_start" timestamp (3) with time zone NOT NULL,
	"latency_bucket" smallint,
	"total" integer NOT NULL,
	"success" integer NOT NULL,
	"error" integer NOT NULL,
	"total_latency_ms" bigint NOT NULL,
	"max_latency_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "analytics_latencies" ADD CONSTRAINT "analytics_latencies_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_rebuilds" ADD CONSTRAINT "analytics_rebuilds_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_snapshots" ADD CONSTRAINT "analytics_snapshots_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
INSERT INTO "analytics_rebuilds" ("workflow_id") SELECT "id" FROM "workflows" WHERE EXISTS (SELECT 1 FROM "runs" WHERE "runs"."workflow_id" = "workflows"."id");
