ALTER TABLE "board_cards" DROP CONSTRAINT "board_cards_column_id_board_columns_id_fk";
--> statement-breakpoint
ALTER TABLE "board_cards" ALTER COLUMN "column_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "board_rounds" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "board_cards" ADD CONSTRAINT "board_cards_column_id_board_columns_id_fk" FOREIGN KEY ("column_id") REFERENCES "public"."board_columns"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "board_rounds_finished" ON "board_rounds" USING btree ("finished_at") WHERE "board_rounds"."finished_at" is not null;