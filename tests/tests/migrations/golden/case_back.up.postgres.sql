-- Changes the database to match the structs. Review it before you apply it.

-- The struct no longer has "deleted_at". This drops the column and its values:
-- ALTER TABLE "readers" DROP COLUMN "deleted_at";

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values:
-- SELECT "email", COUNT(*) FROM "readers" WHERE "email" IS NOT NULL GROUP BY "email" HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__email" ON "readers" ("email");

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values:
-- SELECT "library_id", "branch", "card", COUNT(*) FROM "readers" WHERE "library_id" IS NOT NULL AND "branch" IS NOT NULL AND "card" IS NOT NULL GROUP BY "library_id", "branch", "card" HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__library_id__branch__card" ON "readers" ("library_id", "branch" NULLS FIRST, "card" NULLS FIRST);

-- Goes on with the file before, in a separate transaction.

DROP INDEX "ux_readers__nocase_email";

DROP INDEX "ux_readers__library_id__branch__nocase_card";
