CREATE TABLE "eval_results" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"run_id" uuid NOT NULL,
	"run_case_id" uuid NOT NULL,
	"run_order" smallint NOT NULL,
	"model_id" text NOT NULL,
	"prompt_index" smallint NOT NULL,
	"repetition" smallint NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"actual_output" text,
	"score" text,
	"is_pass" boolean,
	"explanation" text,
	"error" text,
	"latency_ms" integer,
	"tokens_used" integer,
	"cost_usd" double precision,
	"judge_cost_usd" double precision
);
--> statement-breakpoint
CREATE TABLE "eval_run_cases" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"run_id" uuid NOT NULL,
	"case_index" smallint NOT NULL,
	"test_case_id" uuid,
	"input" text NOT NULL,
	"expected_output" text NOT NULL,
	"expected_mode" text DEFAULT 'text' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "eval_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"suite_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"credential_id" uuid,
	"credential_name" text NOT NULL,
	"models" text NOT NULL,
	"prompts" text NOT NULL,
	"scoring_method" text NOT NULL,
	"temperature" double precision,
	"reasoning_effort" text,
	"runs_per_test" smallint NOT NULL,
	"max_tokens" integer,
	"judge_credential_id" uuid,
	"judge_model" text,
	"error" text,
	"next_look_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claim_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "eval_suites" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"system_prompt" text NOT NULL,
	"scoring_method" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "eval_test_cases" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"suite_id" uuid NOT NULL,
	"input" text NOT NULL,
	"expected_output" text NOT NULL,
	"input_mode" text DEFAULT 'text' NOT NULL,
	"expected_mode" text DEFAULT 'text' NOT NULL,
	"order_index" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "eval_results" ADD CONSTRAINT "eval_results_run_id_eval_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."eval_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_results" ADD CONSTRAINT "eval_results_run_case_id_eval_run_cases_id_fk" FOREIGN KEY ("run_case_id") REFERENCES "public"."eval_run_cases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_run_cases" ADD CONSTRAINT "eval_run_cases_run_id_eval_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."eval_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_run_cases" ADD CONSTRAINT "eval_run_cases_test_case_id_eval_test_cases_id_fk" FOREIGN KEY ("test_case_id") REFERENCES "public"."eval_test_cases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD CONSTRAINT "eval_runs_suite_id_eval_suites_id_fk" FOREIGN KEY ("suite_id") REFERENCES "public"."eval_suites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD CONSTRAINT "eval_runs_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD CONSTRAINT "eval_runs_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_runs" ADD CONSTRAINT "eval_runs_judge_credential_id_credentials_id_fk" FOREIGN KEY ("judge_credential_id") REFERENCES "public"."credentials"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_suites" ADD CONSTRAINT "eval_suites_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_test_cases" ADD CONSTRAINT "eval_test_cases_suite_id_eval_suites_id_fk" FOREIGN KEY ("suite_id") REFERENCES "public"."eval_suites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "eval_results_place" ON "eval_results" USING btree ("run_id","run_order");--> statement-breakpoint
CREATE INDEX "eval_results_case" ON "eval_results" USING btree ("run_case_id");--> statement-breakpoint
CREATE UNIQUE INDEX "eval_run_cases_place" ON "eval_run_cases" USING btree ("run_id","case_index");--> statement-breakpoint
CREATE INDEX "eval_run_cases_test_case" ON "eval_run_cases" USING btree ("test_case_id") WHERE "eval_run_cases"."test_case_id" is not null;--> statement-breakpoint
CREATE INDEX "eval_runs_suite" ON "eval_runs" USING btree ("suite_id","id");--> statement-breakpoint
CREATE INDEX "eval_runs_owner" ON "eval_runs" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "eval_runs_open" ON "eval_runs" USING btree ("next_look_at") WHERE "eval_runs"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "eval_runs_credential" ON "eval_runs" USING btree ("credential_id") WHERE "eval_runs"."credential_id" is not null;--> statement-breakpoint
CREATE INDEX "eval_runs_judge" ON "eval_runs" USING btree ("judge_credential_id") WHERE "eval_runs"."judge_credential_id" is not null;--> statement-breakpoint
CREATE INDEX "eval_suites_owner" ON "eval_suites" USING btree ("owner_id","name");--> statement-breakpoint
CREATE INDEX "eval_test_cases_order" ON "eval_test_cases" USING btree ("suite_id","order_index");