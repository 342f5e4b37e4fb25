-- Reverts that. Review it before you apply it.
-- For an up file of the hash 4ff1d07d767d0bab

ALTER INDEX "ux_readers__library_id__branch__nocase_number" RENAME TO "ux_readers__library_id__branch__nocase_card";
ALTER INDEX "ux_readers__nocase_address" RENAME TO "ux_readers__nocase_email";
ALTER TABLE "readers" RENAME COLUMN "number" TO "card";
ALTER TABLE "readers" RENAME CONSTRAINT "check_number" TO "check_card";
ALTER TABLE "readers" RENAME COLUMN "address" TO "email";
ALTER TABLE "readers" RENAME CONSTRAINT "check_address" TO "check_email";
