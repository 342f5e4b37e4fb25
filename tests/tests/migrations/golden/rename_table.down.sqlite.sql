-- Reverts that. Review it before you apply it.
-- For an up file of the hash a1acacfd7b03ebe8

DROP INDEX `ix_cases__customer_id`;
DROP INDEX `ix_cases__rank`;
ALTER TABLE `cases` RENAME TO `tickets`;
CREATE INDEX `ix_tickets__customer_id` ON `tickets` (`customer_id`);
CREATE INDEX `ix_tickets__rank` ON `tickets` (`rank`);
