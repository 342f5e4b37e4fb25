-- Makes the database as the structs are. Read it before it is applied.
-- The tables that are there were made without a migration: in an empty database they have to come first.

ALTER TABLE "items" ALTER COLUMN "count" TYPE bigint USING "count"::bigint;

-- Fails where records have the same values.
CREATE UNIQUE INDEX "ux_items__label" ON "items" ("label" NULLS FIRST) WHERE "deleted_at" IS NULL;

ALTER TABLE "items" DROP CONSTRAINT "check_note";
-- Fails where a record has another value.
ALTER TABLE "items" ADD CONSTRAINT "check_note" CHECK ((char_length(note) <= 200));

ALTER TABLE "items" DROP CONSTRAINT "items_shelf_id_fkey";
-- Fails where a record refers to none.
ALTER TABLE "items" ADD CONSTRAINT "items_shelf_id_fkey" FOREIGN KEY ("shelf_id") REFERENCES "shelves" ("id") ON DELETE CASCADE;
