CREATE TABLE "traces" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"source" text NOT NULL,
	"request_type" text NOT NULL,
	"provider" text,
	"model" text NOT NULL,
	"credential_id" uuid,
	"credential_name" text,
	"workflow_id" uuid,
	"workflow_name" text,
	"run_id" uuid,
	"node_id" text,
	"node_label" text,
	"step" text,
	"request" text NOT NULL,
	"response" text,
	"is_cut" boolean NOT NULL,
	"error" text,
	"prompt_tokens" integer,
	"completion_tokens" integer,
	"total_tokens" integer,
	"cost_usd" double precision,
	"elapsed_ms" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "traces" ADD CONSTRAINT "traces_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traces" ADD CONSTRAINT "traces_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traces" ADD CONSTRAINT "traces_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "traces_user" ON "traces" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "traces_credential" ON "traces" USING btree ("credential_id") WHERE "traces"."credential_id" is not null;--> statement-breakpoint
CREATE INDEX "traces_workflow" ON "traces" USING btree ("workflow_id") WHERE "traces"."workflow_id" is not null;--> statement-breakpoint
CREATE INDEX "traces_run" ON "traces" USING btree ("run_id") WHERE "traces"."run_id" is not null;--> statement-breakpoint
CREATE INDEX "traces_created_at" ON "traces" USING btree ("created_at");