CREATE TABLE "mcp_tool_names" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid,
	"workflow_id" uuid NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "mcp_tool_names_name" UNIQUE NULLS NOT DISTINCT("user_id","server_id","name"),
	CONSTRAINT "mcp_tool_names_workflow" UNIQUE NULLS NOT DISTINCT("user_id","server_id","workflow_id")
);
--> statement-breakpoint
ALTER TABLE "mcp_tool_names" ADD CONSTRAINT "mcp_tool_names_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_tool_names" ADD CONSTRAINT "mcp_tool_names_server_id_mcp_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."mcp_servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_tool_names" ADD CONSTRAINT "mcp_tool_names_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mcp_tool_names_server" ON "mcp_tool_names" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "mcp_tool_names_of_workflow" ON "mcp_tool_names" USING btree ("workflow_id");