CREATE TABLE "mcp_sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid,
	"client_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_call_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "mcp_sessions" ADD CONSTRAINT "mcp_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_sessions" ADD CONSTRAINT "mcp_sessions_server_id_mcp_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."mcp_servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mcp_sessions_user" ON "mcp_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mcp_sessions_server" ON "mcp_sessions" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "mcp_sessions_expiry" ON "mcp_sessions" USING btree ("expires_at");