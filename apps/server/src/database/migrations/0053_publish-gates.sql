CREATE TABLE "publish_gate_suites" (
	"workflow_id" uuid NOT NULL,
	"suite_id" uuid NOT NULL,
	"suite_name" text NOT NULL,
	"least_pass_percent" smallint NOT NULL,
	"judge_credential_id" uuid,
	"judge_model" text,
	"place" smallint NOT NULL,
	CONSTRAINT "publish_gate_suites_workflow_id_suite_id_pk" PRIMARY KEY("workflow_id","suite_id")
);
--> statement-breakpoint
ALTER TABLE "eval_results" ADD COLUMN "execution_id" uuid;--> statement-breakpoint
ALTER TABLE "eval_run_cases" ADD COLUMN "input_mode" text DEFAULT 'text' NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD COLUMN "workflow_id" uuid;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD COLUMN "graph_id" uuid;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD COLUMN "content_hash" text;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD COLUMN "started_by_id" uuid;--> statement-breakpoint
ALTER TABLE "workflow_versions" ADD COLUMN "override_reason" text;--> statement-breakpoint
ALTER TABLE "publish_gate_suites" ADD CONSTRAINT "publish_gate_suites_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "publish_gate_suites" ADD CONSTRAINT "publish_gate_suites_judge_credential_id_credentials_id_fk" FOREIGN KEY ("judge_credential_id") REFERENCES "public"."credentials"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "publish_gate_suites_judge" ON "publish_gate_suites" USING btree ("judge_credential_id") WHERE "publish_gate_suites"."judge_credential_id" is not null;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD CONSTRAINT "eval_runs_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD CONSTRAINT "eval_runs_started_by_id_users_id_fk" FOREIGN KEY ("started_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "eval_runs_workflow" ON "eval_runs" USING btree ("workflow_id","suite_id") WHERE "eval_runs"."workflow_id" is not null;--> statement-breakpoint
CREATE INDEX "eval_runs_starter" ON "eval_runs" USING btree ("started_by_id") WHERE "eval_runs"."started_by_id" is not null;