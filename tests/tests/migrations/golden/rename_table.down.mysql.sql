-- Reverts that. Review it before you apply it.
-- For an up file of the hash 9b5aacd29ff124c2

ALTER TABLE `cases` DROP CONSTRAINT `check_cases__rank`, ADD CONSTRAINT `check_tickets__rank` CHECK (`rank` >= 1);
ALTER TABLE `cases` DROP CONSTRAINT `check_cases__number`, ADD CONSTRAINT `check_tickets__number` CHECK (char_length(`number`) <= 40);
ALTER TABLE `cases` RENAME INDEX `ix_cases__customer_id` TO `ix_tickets__customer_id`;
ALTER TABLE `cases` RENAME INDEX `ix_cases__rank` TO `ix_tickets__rank`;
ALTER TABLE `cases` RENAME INDEX `ux_cases__number` TO `ux_tickets__number`;
ALTER TABLE `cases` RENAME TO `tickets`;
