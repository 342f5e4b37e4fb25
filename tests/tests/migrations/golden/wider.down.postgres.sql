-- Reverts that. Review it before you apply it.
-- For an up file of the hash 554d953890c2d531

ALTER TABLE "items" DROP CONSTRAINT "items_shelf_id_fkey";
-- Fails where a record refers to none.
ALTER TABLE "items" ADD CONSTRAINT "items_shelf_id_fkey" FOREIGN KEY ("shelf_id") REFERENCES "shelves" ("id") ON DELETE SET NULL;

ALTER TABLE "items" DROP CONSTRAINT "check_note";
-- Fails where a record has another value.
ALTER TABLE "items" ADD CONSTRAINT "check_note" CHECK ((char_length(note) <= 20));

ALTER TABLE "items" ALTER COLUMN "count" TYPE integer USING "count"::integer;

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 50bdb59cfd4e91b3

DROP INDEX CONCURRENTLY "ux_items__label";

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 64dcf84066bf777e
