-- Reverts that. Review it before you apply it.
-- For an up file of the hash 94125d3f6046e27e

DROP INDEX "ix_deleted_readers__library_id__deleted_at__id";

CREATE UNIQUE INDEX "ux_readers__library_id__branch__card" ON "readers" ("library_id", "branch" NULLS FIRST, "card" NULLS FIRST);

CREATE UNIQUE INDEX "ux_readers__email" ON "readers" ("email");

DROP INDEX "ux_readers__library_id__branch__nocase_card";

DROP INDEX "ux_readers__library_id__nocase_handle";

DROP INDEX "ux_readers__nocase_email";

ALTER TABLE "readers" DROP COLUMN "deleted_at";
