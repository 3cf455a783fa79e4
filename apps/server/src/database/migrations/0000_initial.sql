CREATE TABLE "audit_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor_id" uuid,
	"actor_email" text,
	"action" text NOT NULL,
	"object_kind" text NOT NULL,
	"object_id" text,
	"object_name" text,
	"owner_id" uuid,
	"outcome" text DEFAULT 'done' NOT NULL,
	"details" text,
	"client_ip" text,
	"request_id" text
);
--> statement-breakpoint
CREATE TABLE "change_clock" (
	"id" smallint PRIMARY KEY NOT NULL,
	"count" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_slots" (
	"job" text NOT NULL,
	"slot" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "job_slots_job_slot_pk" PRIMARY KEY("job","slot")
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"session_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"user_agent" text,
	"client_ip" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "team_members" (
	"team_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"added_by_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "team_members_team_id_user_id_pk" PRIMARY KEY("team_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"creator_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"name" text NOT NULL,
	"user_rules" text,
	"is_admin" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "blobs" (
	"hash" text PRIMARY KEY NOT NULL,
	"content" text NOT NULL,
	"size" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leaders" (
	"name" text PRIMARY KEY NOT NULL,
	"worker_id" uuid NOT NULL,
	"epoch" bigint DEFAULT 1 NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "response_cache" (
	"key" text PRIMARY KEY NOT NULL,
	"workflow_id" uuid NOT NULL,
	"outputs" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run_blobs" (
	"run_id" uuid NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "run_blobs_run_id_hash_pk" PRIMARY KEY("run_id","hash")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workflow_id" uuid NOT NULL,
	"version_id" uuid,
	"state" smallint NOT NULL,
	"status" text NOT NULL,
	"trigger_source" text,
	"trigger_node_id" text,
	"actor_id" uuid,
	"owner" uuid,
	"attempt" smallint DEFAULT 0 NOT NULL,
	"takeovers" smallint DEFAULT 0 NOT NULL,
	"stalls" smallint DEFAULT 0 NOT NULL,
	"progress" integer DEFAULT 0 NOT NULL,
	"engine_version" smallint DEFAULT 1 NOT NULL,
	"priority" smallint DEFAULT 0 NOT NULL,
	"virtual_time" bigint DEFAULT 0 NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone,
	"cancel_requested_at" timestamp (3) with time zone,
	"parent_run_id" uuid,
	"root_run_id" uuid,
	"depth" smallint DEFAULT 0 NOT NULL,
	"idempotency_key" text,
	"options" text,
	"input" text NOT NULL,
	"outputs" text,
	"outcome" text,
	"records" text,
	"http_status" smallint,
	"recovered" boolean DEFAULT false NOT NULL,
	"execution_time_ms" integer,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "steps" (
	"run_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"iteration" text DEFAULT '' NOT NULL,
	"attempt" smallint DEFAULT 1 NOT NULL,
	"kind" text NOT NULL,
	"sequence" integer NOT NULL,
	"record" text NOT NULL,
	"worker_id" uuid NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "steps_run_id_node_id_iteration_kind_attempt_pk" PRIMARY KEY("run_id","node_id","iteration","kind","attempt")
);
--> statement-breakpoint
CREATE TABLE "waits" (
	"run_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"iteration" text DEFAULT '' NOT NULL,
	"kind" text NOT NULL,
	"token_hash" text,
	"due_at" timestamp (3) with time zone,
	"payload" text NOT NULL,
	"sequence" integer NOT NULL,
	"attempt" smallint DEFAULT 1 NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"result" text,
	"decided_at" timestamp (3) with time zone,
	"applied" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "waits_run_id_node_id_iteration_pk" PRIMARY KEY("run_id","node_id","iteration")
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"alive" boolean DEFAULT true NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"engine_version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "analysis_notes" (
	"workflow_id" uuid PRIMARY KEY NOT NULL,
	"content" text NOT NULL,
	"revision" integer NOT NULL,
	"updated_by_id" uuid,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credential_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"credential_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credential_team_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"credential_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"encrypted_config" text NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_links" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"file_id" uuid NOT NULL,
	"token" text NOT NULL,
	"password_hash" text,
	"expires_at" timestamp (3) with time zone,
	"max_downloads" integer,
	"download_count" integer DEFAULT 0 NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_team_shares" (
	"file_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "file_team_shares_file_id_team_id_pk" PRIMARY KEY("file_id","team_id")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"filename" text NOT NULL,
	"storage_key" text NOT NULL,
	"mime_type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"workflow_id" uuid,
	"run_id" uuid,
	"source_node_id" text,
	"source_node_label" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "global_variable_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"global_variable_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "global_variable_team_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"global_variable_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "global_variables" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"value" text NOT NULL,
	"value_type" text NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "team_workflow_placements" (
	"workflow_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"folder_id" uuid NOT NULL,
	CONSTRAINT "team_workflow_placements_workflow_id_user_id_pk" PRIMARY KEY("workflow_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "template_shares" (
	"template_id" uuid NOT NULL,
	"email" text NOT NULL,
	CONSTRAINT "template_shares_template_id_email_pk" PRIMARY KEY("template_id","email")
);
--> statement-breakpoint
CREATE TABLE "template_team_shares" (
	"template_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	CONSTRAINT "template_team_shares_template_id_team_id_pk" PRIMARY KEY("template_id","team_id")
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"author_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"graph" text NOT NULL,
	"node_type" text,
	"canvas_snapshot" text,
	"visibility" text DEFAULT 'everyone' NOT NULL,
	"use_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vector_store_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"vector_store_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vector_store_team_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"vector_store_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vector_stores" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"collection_name" text NOT NULL,
	"credential_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "execution_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"jti" uuid NOT NULL,
	"workflow_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "folders" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"parent_id" uuid,
	"owner_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workflow_references" (
	"workflow_id" uuid NOT NULL,
	"target_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	CONSTRAINT "workflow_references_workflow_id_target_id_node_id_pk" PRIMARY KEY("workflow_id","target_id","node_id")
);
--> statement-breakpoint
CREATE TABLE "workflow_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"folder_id" uuid,
	"mcp_enabled" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workflow_team_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workflow_versions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"version_number" integer NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"nodes" text NOT NULL,
	"edges" text NOT NULL,
	"settings" text NOT NULL,
	"created_by_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workflows" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"owner_id" uuid NOT NULL,
	"folder_id" uuid,
	"version_id" uuid NOT NULL,
	"auth_type" text DEFAULT 'jwt' NOT NULL,
	"auth_header_key" text,
	"auth_header_value" text,
	"http_method" text DEFAULT 'POST' NOT NULL,
	"webhook_body_mode" text DEFAULT 'defined' NOT NULL,
	"cache_ttl_seconds" integer,
	"rate_limit_requests" integer,
	"rate_limit_window_seconds" integer,
	"sse_enabled" boolean DEFAULT false NOT NULL,
	"sse_node_config" text DEFAULT '{}' NOT NULL,
	"workflow_timeout_seconds" integer,
	"error_workflow_id" uuid,
	"mcp_enabled" boolean DEFAULT false NOT NULL,
	"portal_enabled" boolean DEFAULT false NOT NULL,
	"portal_slug" text,
	"portal_stream_enabled" boolean DEFAULT true NOT NULL,
	"portal_file_upload_enabled" boolean DEFAULT false NOT NULL,
	"portal_file_config" text DEFAULT '{}' NOT NULL,
	"scheduled_for_deletion" timestamp (3) with time zone,
	"first_node_type" text,
	"triggers_inactive" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_added_by_id_users_id_fk" FOREIGN KEY ("added_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_creator_id_users_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analysis_notes" ADD CONSTRAINT "analysis_notes_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analysis_notes" ADD CONSTRAINT "analysis_notes_updated_by_id_users_id_fk" FOREIGN KEY ("updated_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_shares" ADD CONSTRAINT "credential_shares_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_shares" ADD CONSTRAINT "credential_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_team_shares" ADD CONSTRAINT "credential_team_shares_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_team_shares" ADD CONSTRAINT "credential_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_links" ADD CONSTRAINT "file_links_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_team_shares" ADD CONSTRAINT "file_team_shares_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_team_shares" ADD CONSTRAINT "file_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "global_variable_shares" ADD CONSTRAINT "global_variable_shares_global_variable_id_global_variables_id_fk" FOREIGN KEY ("global_variable_id") REFERENCES "public"."global_variables"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "global_variable_shares" ADD CONSTRAINT "global_variable_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "global_variable_team_shares" ADD CONSTRAINT "global_variable_team_shares_global_variable_id_global_variables_id_fk" FOREIGN KEY ("global_variable_id") REFERENCES "public"."global_variables"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "global_variable_team_shares" ADD CONSTRAINT "global_variable_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "global_variables" ADD CONSTRAINT "global_variables_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_workflow_placements" ADD CONSTRAINT "team_workflow_placements_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_workflow_placements" ADD CONSTRAINT "team_workflow_placements_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_workflow_placements" ADD CONSTRAINT "team_workflow_placements_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "template_shares" ADD CONSTRAINT "template_shares_template_id_templates_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."templates"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "template_team_shares" ADD CONSTRAINT "template_team_shares_template_id_templates_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."templates"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "template_team_shares" ADD CONSTRAINT "template_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_store_shares" ADD CONSTRAINT "vector_store_shares_vector_store_id_vector_stores_id_fk" FOREIGN KEY ("vector_store_id") REFERENCES "public"."vector_stores"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_store_shares" ADD CONSTRAINT "vector_store_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_store_team_shares" ADD CONSTRAINT "vector_store_team_shares_vector_store_id_vector_stores_id_fk" FOREIGN KEY ("vector_store_id") REFERENCES "public"."vector_stores"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_store_team_shares" ADD CONSTRAINT "vector_store_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_stores" ADD CONSTRAINT "vector_stores_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_stores" ADD CONSTRAINT "vector_stores_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_tokens" ADD CONSTRAINT "execution_tokens_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_tokens" ADD CONSTRAINT "execution_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent_id_folders_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_references" ADD CONSTRAINT "workflow_references_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_shares" ADD CONSTRAINT "workflow_shares_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_shares" ADD CONSTRAINT "workflow_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_shares" ADD CONSTRAINT "workflow_shares_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_team_shares" ADD CONSTRAINT "workflow_team_shares_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_team_shares" ADD CONSTRAINT "workflow_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_versions" ADD CONSTRAINT "workflow_versions_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_versions" ADD CONSTRAINT "workflow_versions_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_owner" ON "audit_entries" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit_entries" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_object" ON "audit_entries" USING btree ("object_id","id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_session" ON "refresh_tokens" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "team_members_user" ON "team_members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "response_cache_workflow" ON "response_cache" USING btree ("workflow_id");--> statement-breakpoint
CREATE INDEX "response_cache_expiry" ON "response_cache" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "run_blobs_hash" ON "run_blobs" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "runs_history" ON "runs" USING btree ("workflow_id","id");--> statement-breakpoint
CREATE INDEX "runs_queue" ON "runs" USING btree ("priority","virtual_time","id") WHERE "runs"."state" = 0;--> statement-breakpoint
CREATE INDEX "runs_queue_workflow" ON "runs" USING btree ("workflow_id","virtual_time") WHERE "runs"."state" = 0;--> statement-breakpoint
CREATE INDEX "runs_running" ON "runs" USING btree ("owner","virtual_time") WHERE "runs"."state" = 1;--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("workflow_id","id") WHERE "runs"."state" < 3;--> statement-breakpoint
CREATE INDEX "runs_parent" ON "runs" USING btree ("parent_run_id") WHERE "runs"."parent_run_id" is not null;--> statement-breakpoint
CREATE INDEX "runs_family" ON "runs" USING btree ("root_run_id") WHERE "runs"."state" < 3 and "runs"."root_run_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "runs_idempotency" ON "runs" USING btree ("workflow_id","idempotency_key") WHERE "runs"."idempotency_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "waits_token" ON "waits" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "waits_due" ON "waits" USING btree ("due_at") WHERE "waits"."decided_at" is null and "waits"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "waits_decided" ON "waits" USING btree ("run_id") WHERE "waits"."decided_at" is not null and not "waits"."applied";--> statement-breakpoint
CREATE INDEX "workers_alive" ON "workers" USING btree ("lease_until") WHERE "workers"."alive";--> statement-breakpoint
CREATE UNIQUE INDEX "credential_shares_pair" ON "credential_shares" USING btree ("credential_id","user_id");--> statement-breakpoint
CREATE INDEX "credential_shares_user" ON "credential_shares" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "credential_team_shares_pair" ON "credential_team_shares" USING btree ("credential_id","team_id");--> statement-breakpoint
CREATE INDEX "credential_team_shares_team" ON "credential_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE UNIQUE INDEX "credentials_name" ON "credentials" USING btree ("owner_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "file_links_token" ON "file_links" USING btree ("token");--> statement-breakpoint
CREATE INDEX "file_links_file" ON "file_links" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "file_team_shares_team" ON "file_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "files_owner" ON "files" USING btree ("owner_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "global_variable_shares_pair" ON "global_variable_shares" USING btree ("global_variable_id","user_id");--> statement-breakpoint
CREATE INDEX "global_variable_shares_user" ON "global_variable_shares" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "global_variable_team_shares_pair" ON "global_variable_team_shares" USING btree ("global_variable_id","team_id");--> statement-breakpoint
CREATE INDEX "global_variable_team_shares_team" ON "global_variable_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE UNIQUE INDEX "global_variables_name" ON "global_variables" USING btree ("owner_id","name");--> statement-breakpoint
CREATE INDEX "team_workflow_placements_folder" ON "team_workflow_placements" USING btree ("folder_id");--> statement-breakpoint
CREATE INDEX "template_shares_email" ON "template_shares" USING btree ("email");--> statement-breakpoint
CREATE INDEX "template_team_shares_team" ON "template_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "templates_author" ON "templates" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "templates_kind" ON "templates" USING btree ("kind","visibility");--> statement-breakpoint
CREATE UNIQUE INDEX "vector_store_shares_pair" ON "vector_store_shares" USING btree ("vector_store_id","user_id");--> statement-breakpoint
CREATE INDEX "vector_store_shares_user" ON "vector_store_shares" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "vector_store_team_shares_pair" ON "vector_store_team_shares" USING btree ("vector_store_id","team_id");--> statement-breakpoint
CREATE INDEX "vector_store_team_shares_team" ON "vector_store_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE UNIQUE INDEX "vector_stores_name" ON "vector_stores" USING btree ("owner_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "vector_stores_collection" ON "vector_stores" USING btree ("collection_name");--> statement-breakpoint
CREATE UNIQUE INDEX "execution_tokens_jti" ON "execution_tokens" USING btree ("jti");--> statement-breakpoint
CREATE INDEX "execution_tokens_owner" ON "execution_tokens" USING btree ("workflow_id","user_id");--> statement-breakpoint
CREATE INDEX "folders_owner" ON "folders" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "folders_parent" ON "folders" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "workflow_references_target" ON "workflow_references" USING btree ("target_id");--> statement-breakpoint
CREATE UNIQUE INDEX "workflow_shares_pair" ON "workflow_shares" USING btree ("workflow_id","user_id");--> statement-breakpoint
CREATE INDEX "workflow_shares_user" ON "workflow_shares" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "workflow_team_shares_pair" ON "workflow_team_shares" USING btree ("workflow_id","team_id");--> statement-breakpoint
CREATE INDEX "workflow_team_shares_team" ON "workflow_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE UNIQUE INDEX "workflow_versions_number" ON "workflow_versions" USING btree ("workflow_id","version_number");--> statement-breakpoint
CREATE INDEX "workflows_owner" ON "workflows" USING btree ("owner_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "workflows_folder" ON "workflows" USING btree ("folder_id");--> statement-breakpoint
CREATE UNIQUE INDEX "workflows_portal_slug" ON "workflows" USING btree ("portal_slug");