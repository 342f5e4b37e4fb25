-- Changes the database to match the structs. Review it before you apply it.

-- A program that uses "tickets" fails from here on: stop such servers before, or keep the table with
-- `table = "tickets"`. Further changes are for another file: run `migrate diff` again after this one.
ALTER TABLE "tickets" RENAME TO "cases";
ALTER INDEX "ux_tickets__number" RENAME TO "ux_cases__number";
ALTER INDEX "ix_tickets__rank__id" RENAME TO "ix_cases__rank__id";
ALTER INDEX "ix_tickets__customer_id__id" RENAME TO "ix_cases__customer_id__id";
ALTER TABLE "cases" RENAME CONSTRAINT "tickets_customer_id_fkey" TO "cases_customer_id_fkey";
