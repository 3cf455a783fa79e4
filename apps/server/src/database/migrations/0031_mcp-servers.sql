CREATE TABLE "mcp_server_workflows" (
	"server_id" uuid NOT NULL,
	"workflow_id" uuid NOT NULL,
	CONSTRAINT "mcp_server_workflows_server_id_workflow_id_pk" PRIMARY KEY("server_id","workflow_id")
);
--> statement-breakpoint
CREATE TABLE "mcp_servers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"key_id" uuid NOT NULL,
	"key_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oauth_grants" ADD COLUMN "server_id" uuid;--> statement-breakpoint
ALTER TABLE "mcp_server_workflows" ADD CONSTRAINT "mcp_server_workflows_server_id_mcp_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."mcp_servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_server_workflows" ADD CONSTRAINT "mcp_server_workflows_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mcp_server_workflows_workflow" ON "mcp_server_workflows" USING btree ("workflow_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mcp_servers_name" ON "mcp_servers" USING btree ("user_id","name");--> statement-breakpoint
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_server_id_mcp_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."mcp_servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "oauth_grants_server" ON "oauth_grants" USING btree ("server_id");