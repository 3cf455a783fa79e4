-- safe: no version has read or written this table
DROP TABLE "leaders" CASCADE;
