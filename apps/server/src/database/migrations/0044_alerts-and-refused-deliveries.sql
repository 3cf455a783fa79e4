CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"workflow_id" uuid NOT NULL,
	"target_workflow_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"window_minutes" integer NOT NULL,
	"threshold" double precision,
	"least_runs" integer NOT NULL,
	"days" text NOT NULL,
	"from_minute" integer NOT NULL,
	"until_minute" integer NOT NULL,
	"time_zone" text,
	"repeats" boolean NOT NULL,
	"active" boolean NOT NULL,
	"state" text DEFAULT 'ok' NOT NULL,
	"state_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"counts_from" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"next_look_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"value" double precision,
	"last_run_id" uuid,
	"last_started_at" timestamp (3) with time zone,
	"problem" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refused_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workflow_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"source" text,
	"reason" text NOT NULL,
	"message" text NOT NULL,
	"cause" text NOT NULL,
	"input" text,
	"count" integer DEFAULT 1 NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"dismissed_at" timestamp (3) with time zone,
	"run_id" uuid
);
--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_target_workflow_id_workflows_id_fk" FOREIGN KEY ("target_workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refused_deliveries" ADD CONSTRAINT "refused_deliveries_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alerts_owner" ON "alerts" USING btree ("owner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "alerts_due" ON "alerts" USING btree ("next_look_at") WHERE "alerts"."active";--> statement-breakpoint
CREATE INDEX "alerts_workflow" ON "alerts" USING btree ("workflow_id");--> statement-breakpoint
CREATE INDEX "alerts_target" ON "alerts" USING btree ("target_workflow_id");--> statement-breakpoint
CREATE UNIQUE INDEX "refused_deliveries_cause" ON "refused_deliveries" USING btree ("workflow_id","node_id","cause");--> statement-breakpoint
CREATE INDEX "refused_deliveries_workflow" ON "refused_deliveries" USING btree ("workflow_id","id");--> statement-breakpoint
CREATE INDEX "refused_deliveries_open" ON "refused_deliveries" USING btree ("workflow_id","id") WHERE "refused_deliveries"."dismissed_at" is null;--> statement-breakpoint
CREATE INDEX "refused_deliveries_age" ON "refused_deliveries" USING btree ("last_at");