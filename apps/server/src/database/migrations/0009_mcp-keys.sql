CREATE TABLE "mcp_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"key_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "team_workflow_tools" (
	"workflow_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "team_workflow_tools_workflow_id_user_id_pk" PRIMARY KEY("workflow_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "mcp_keys" ADD CONSTRAINT "mcp_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_workflow_tools" ADD CONSTRAINT "team_workflow_tools_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_workflow_tools" ADD CONSTRAINT "team_workflow_tools_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mcp_keys_user" ON "mcp_keys" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mcp_keys_hash" ON "mcp_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "team_workflow_tools_user" ON "team_workflow_tools" USING btree ("user_id");