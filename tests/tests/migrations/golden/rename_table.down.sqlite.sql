-- Reverts that. Review it before you apply it.
-- For an up file of the hash c679d383127d858b

DROP INDEX `ix_cases__customer_id`;
DROP INDEX `ix_cases__rank`;
ALTER TABLE `cases` RENAME TO `tickets`;
CREATE INDEX `ix_tickets__rank` ON `tickets` (`rank`);
CREATE INDEX `ix_tickets__customer_id` ON `tickets` (`customer_id`);
