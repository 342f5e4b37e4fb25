-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE "readers" RENAME COLUMN "email" TO "address";
ALTER TABLE "readers" RENAME CONSTRAINT "check_email" TO "check_address";
ALTER TABLE "readers" RENAME COLUMN "card" TO "number";
ALTER TABLE "readers" RENAME CONSTRAINT "check_card" TO "check_number";
ALTER INDEX "ux_readers__nocase_email" RENAME TO "ux_readers__nocase_address";
ALTER INDEX "ux_readers__library_id__branch__nocase_card" RENAME TO "ux_readers__library_id__branch__nocase_number";
