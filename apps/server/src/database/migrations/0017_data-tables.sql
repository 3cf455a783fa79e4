CREATE TABLE "data_table_keys" (
	"column_id" uuid NOT NULL,
	"key" text NOT NULL,
	"table_id" uuid NOT NULL,
	"row_id" uuid NOT NULL,
	CONSTRAINT "data_table_keys_column_id_key_pk" PRIMARY KEY("column_id","key")
);
--> statement-breakpoint
CREATE TABLE "data_table_rows" (
	"table_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"data" jsonb NOT NULL,
	"created_by" uuid,
	"updated_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "data_table_rows_table_id_id_pk" PRIMARY KEY("table_id","id")
);
--> statement-breakpoint
CREATE TABLE "data_table_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"data_table_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"permission" text DEFAULT 'read' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "data_table_team_shares" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"data_table_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"permission" text DEFAULT 'read' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "data_table_writes" (
	"key" text PRIMARY KEY NOT NULL,
	"table_id" uuid NOT NULL,
	"result" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "data_tables" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"columns" text NOT NULL,
	"row_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "data_table_keys" ADD CONSTRAINT "data_table_keys_row_fk" FOREIGN KEY ("table_id","row_id") REFERENCES "public"."data_table_rows"("table_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_table_rows" ADD CONSTRAINT "data_table_rows_table_id_data_tables_id_fk" FOREIGN KEY ("table_id") REFERENCES "public"."data_tables"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_table_shares" ADD CONSTRAINT "data_table_shares_data_table_id_data_tables_id_fk" FOREIGN KEY ("data_table_id") REFERENCES "public"."data_tables"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_table_shares" ADD CONSTRAINT "data_table_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_table_team_shares" ADD CONSTRAINT "data_table_team_shares_data_table_id_data_tables_id_fk" FOREIGN KEY ("data_table_id") REFERENCES "public"."data_tables"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_table_team_shares" ADD CONSTRAINT "data_table_team_shares_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_table_writes" ADD CONSTRAINT "data_table_writes_table_id_data_tables_id_fk" FOREIGN KEY ("table_id") REFERENCES "public"."data_tables"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_tables" ADD CONSTRAINT "data_tables_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "data_table_keys_row" ON "data_table_keys" USING btree ("table_id","row_id");--> statement-breakpoint
CREATE INDEX "data_table_rows_data" ON "data_table_rows" USING gin ("data" jsonb_path_ops) WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "data_table_shares_pair" ON "data_table_shares" USING btree ("data_table_id","user_id");--> statement-breakpoint
CREATE INDEX "data_table_shares_user" ON "data_table_shares" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "data_table_team_shares_pair" ON "data_table_team_shares" USING btree ("data_table_id","team_id");--> statement-breakpoint
CREATE INDEX "data_table_team_shares_team" ON "data_table_team_shares" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "data_table_writes_age" ON "data_table_writes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "data_table_writes_table" ON "data_table_writes" USING btree ("table_id");--> statement-breakpoint
CREATE UNIQUE INDEX "data_tables_name" ON "data_tables" USING btree ("owner_id","name");