-- Reverts that. Review it before you apply it.
-- For an up file of the hash 0604a0b119564671

ALTER TABLE "cases" RENAME CONSTRAINT "cases_customer_id_fkey" TO "tickets_customer_id_fkey";
ALTER INDEX "ix_cases__customer_id__id" RENAME TO "ix_tickets__customer_id__id";
ALTER INDEX "ix_cases__rank__id" RENAME TO "ix_tickets__rank__id";
ALTER INDEX "ux_cases__number" RENAME TO "ux_tickets__number";
ALTER TABLE "cases" RENAME TO "tickets";
