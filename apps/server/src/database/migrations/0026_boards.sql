CREATE TABLE "board_activities" (
	"id" uuid PRIMARY KEY NOT NULL,
	"card_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"actor_id" uuid,
	"content" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "board_attachments" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"card_id" uuid NOT NULL,
	"file_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "board_card_runs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"round_id" uuid NOT NULL,
	"chain_position" integer NOT NULL,
	"chain_length" integer NOT NULL,
	"workflow_id" uuid NOT NULL,
	"workflow_name" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"run_id" uuid,
	"output" text,
	"output_is_cut" boolean DEFAULT false NOT NULL,
	"error" text,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "board_cards" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"board_id" uuid NOT NULL,
	"column_id" uuid NOT NULL,
	"title" text NOT NULL,
	"content" text NOT NULL,
	"position" double precision NOT NULL,
	"run_status" text DEFAULT 'idle' NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "board_column_workflows" (
	"column_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"workflow_id" uuid NOT NULL,
	CONSTRAINT "board_column_workflows_column_id_position_pk" PRIMARY KEY("column_id","position")
);
--> statement-breakpoint
CREATE TABLE "board_columns" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"board_id" uuid NOT NULL,
	"name" text NOT NULL,
	"position" double precision NOT NULL,
	"color" text DEFAULT 'gray' NOT NULL,
	"ai_instructions" text DEFAULT '' NOT NULL,
	"auto_advance" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "board_rounds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"board_id" uuid NOT NULL,
	"card_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"column_id" uuid NOT NULL,
	"column_name" text NOT NULL,
	"comment" text,
	"skip_auto_advance" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"stop_requested" boolean DEFAULT false NOT NULL,
	"next_look_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "board_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"board_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"permission" text DEFAULT 'read' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "board_team_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"board_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"permission" text DEFAULT 'read' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "boards" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"mapper_model" text,
	"mapper_credential_id" uuid,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "board_activities" ADD CONSTRAINT "board_activities_card_id_board_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."board_cards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_activities" ADD CONSTRAINT "board_activities_actor_id_users_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_attachments" ADD CONSTRAINT "board_attachments_card_id_board_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."board_cards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_attachments" ADD CONSTRAINT "board_attachments_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_card_runs" ADD CONSTRAINT "board_card_runs_round_id_board_rounds_id_fk" FOREIGN KEY ("round_id") REFERENCES "public"."board_rounds"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_cards" ADD CONSTRAINT "board_cards_board_id_boards_id_fk" FOREIGN KEY ("board_id") REFERENCES "public"."boards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_cards" ADD CONSTRAINT "board_cards_column_id_board_columns_id_fk" FOREIGN KEY ("column_id") REFERENCES "public"."board_columns"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_cards" ADD CONSTRAINT "board_cards_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_column_workflows" ADD CONSTRAINT "board_column_workflows_column_id_board_columns_id_fk" FOREIGN KEY ("column_id") REFERENCES "public"."board_columns"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_column_workflows" ADD CONSTRAINT "board_column_workflows_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_columns" ADD CONSTRAINT "board_columns_board_id_boards_id_fk" FOREIGN KEY ("board_id") REFERENCES "public"."boards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_rounds" ADD CONSTRAINT "board_rounds_board_id_boards_id_fk" FOREIGN KEY ("board_id") REFERENCES "public"."boards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_rounds" ADD CONSTRAINT "board_rounds_card_id_board_cards_id_fk" FOREIGN KEY ("card_id") REFERENCES "public"."board_cards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_rounds" ADD CONSTRAINT "board_rounds_started_by_users_id_fk" FOREIGN KEY ("started_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_shares" ADD CONSTRAINT "board_shares_board_id_boards_id_fk" FOREIGN KEY ("board_id") REFERENCES "public"."boards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_shares" ADD CONSTRAINT "board_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_team_shares" ADD CONSTRAINT "board_team_shares_board_id_boards_id_fk" FOREIGN KEY ("board_id") REFERENCES "public"."boards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_team_shares" ADD CONSTRAINT "board_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "boards" ADD CONSTRAINT "boards_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "boards" ADD CONSTRAINT "boards_mapper_credential_id_credentials_id_fk" FOREIGN KEY ("mapper_credential_id") REFERENCES "public"."credentials"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "board_activities_card" ON "board_activities" USING btree ("card_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "board_attachments_pair" ON "board_attachments" USING btree ("card_id","file_id");--> statement-breakpoint
CREATE INDEX "board_attachments_file" ON "board_attachments" USING btree ("file_id");--> statement-breakpoint
CREATE UNIQUE INDEX "board_card_runs_place" ON "board_card_runs" USING btree ("round_id","chain_position");--> statement-breakpoint
CREATE INDEX "board_card_runs_run" ON "board_card_runs" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "board_cards_order" ON "board_cards" USING btree ("board_id","column_id","position") WHERE "board_cards"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "board_cards_deleted" ON "board_cards" USING btree ("deleted_at") WHERE "board_cards"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "board_column_workflows_workflow" ON "board_column_workflows" USING btree ("workflow_id");--> statement-breakpoint
CREATE INDEX "board_columns_order" ON "board_columns" USING btree ("board_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "board_rounds_number" ON "board_rounds" USING btree ("card_id","number");--> statement-breakpoint
CREATE INDEX "board_rounds_open" ON "board_rounds" USING btree ("next_look_at") WHERE "board_rounds"."state" = 'open';--> statement-breakpoint
CREATE INDEX "board_rounds_board" ON "board_rounds" USING btree ("board_id");--> statement-breakpoint
CREATE UNIQUE INDEX "board_shares_pair" ON "board_shares" USING btree ("board_id","user_id");--> statement-breakpoint
CREATE INDEX "board_shares_user" ON "board_shares" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "board_team_shares_pair" ON "board_team_shares" USING btree ("board_id","team_id");--> statement-breakpoint
CREATE INDEX "board_team_shares_team" ON "board_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "boards_owner" ON "boards" USING btree ("owner_id","name");