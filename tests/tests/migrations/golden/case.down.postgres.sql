-- Reverts that. Review it before you apply it.
-- For an up file of the hash 9abadb1a37ac6b98

ALTER TABLE "readers" DROP COLUMN "deleted_at";

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 38bf5dce348f14a3

DROP INDEX CONCURRENTLY "ux_readers__nocase_email";

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 69ef5edf1a686e40

DROP INDEX CONCURRENTLY "ux_readers__library_id__nocase_handle";

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 37bc84a8380e45be

DROP INDEX CONCURRENTLY "ux_readers__library_id__branch__nocase_card";

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 2193a4ceb591ac6c

DROP INDEX CONCURRENTLY "ix_deleted_readers__library_id__deleted_at__id";

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 88191bc0c79802ae

CREATE UNIQUE INDEX "ux_readers__library_id__branch__card" ON "readers" ("library_id", "branch" NULLS FIRST, "card" NULLS FIRST);

CREATE UNIQUE INDEX "ux_readers__email" ON "readers" ("email");
