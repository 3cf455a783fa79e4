CREATE TABLE "credential_sign_ins" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"code_verifier" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "renewing_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "credential_sign_ins" ADD CONSTRAINT "credential_sign_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_sign_ins" ADD CONSTRAINT "credential_sign_ins_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credential_sign_ins_user" ON "credential_sign_ins" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "credential_sign_ins_credential" ON "credential_sign_ins" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "credential_sign_ins_expiry" ON "credential_sign_ins" USING btree ("expires_at");