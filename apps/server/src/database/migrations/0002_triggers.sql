-- contract of 0002_triggers
CREATE TABLE "trigger_causes" (
	"workflow_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"cause" text NOT NULL,
	"run_id" uuid NOT NULL,
	"first_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"repeats" integer DEFAULT 0 NOT NULL,
	"repeated_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "trigger_causes_workflow_id_node_id_cause_pk" PRIMARY KEY("workflow_id","node_id","cause")
);
--> statement-breakpoint
CREATE TABLE "triggers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"version_id" uuid NOT NULL,
	"type" text NOT NULL,
	"kind" text NOT NULL,
	"settings" text NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"cursor" text,
	"next_due_at" timestamp (3) with time zone,
	"armed_at" timestamp (3) with time zone,
	"owner" uuid,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'new' NOT NULL,
	"state_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"last_error_at" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
INSERT INTO "triggers" ("workflow_id", "node_id", "version_id", "type", "kind", "settings", "next_due_at")
SELECT w."id", s.value ->> 'node_id', w."version_id", 'cron', 'clock', '{"cronExpression":' || (s.value -> 'cron')::text || '}', now()
FROM "workflows" w, json_array_elements(w."schedules"::json) s WHERE w."schedules" <> '[]'
ON CONFLICT DO NOTHING;--> statement-breakpoint
DROP INDEX "workflows_schedules";--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "hosts_triggers" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trigger_causes_recent" ON "trigger_causes" USING btree ("workflow_id","node_id","first_at");--> statement-breakpoint
CREATE INDEX "trigger_causes_run" ON "trigger_causes" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "trigger_causes_expiry" ON "trigger_causes" USING btree ("expires_at") WHERE "trigger_causes"."expires_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "triggers_node" ON "triggers" USING btree ("workflow_id","node_id");--> statement-breakpoint
CREATE INDEX "triggers_address" ON "triggers" USING btree ("node_id","type");--> statement-breakpoint
CREATE INDEX "triggers_due" ON "triggers" USING btree ("owner","next_due_at") WHERE "triggers"."active" and "triggers"."next_due_at" is not null;--> statement-breakpoint
CREATE INDEX "triggers_hosted" ON "triggers" USING btree ("owner","kind") WHERE "triggers"."kind" in ('clock', 'poll', 'connection', 'event');--> statement-breakpoint
ALTER TABLE "workflows" DROP COLUMN "schedules";