-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE "items" ALTER COLUMN "count" TYPE bigint USING "count"::bigint;

-- Fails where records have the same values.
CREATE UNIQUE INDEX "ux_items__label" ON "items" ("label" NULLS FIRST) WHERE "deleted_at" IS NULL;

ALTER TABLE "items" DROP CONSTRAINT "check_note";
-- Fails where a record has another value.
ALTER TABLE "items" ADD CONSTRAINT "check_note" CHECK ((char_length(note) <= 200));

ALTER TABLE "items" DROP CONSTRAINT "items_shelf_id_fkey";
-- Fails where a record refers to none.
ALTER TABLE "items" ADD CONSTRAINT "items_shelf_id_fkey" FOREIGN KEY ("shelf_id") REFERENCES "shelves" ("id") ON DELETE CASCADE;
