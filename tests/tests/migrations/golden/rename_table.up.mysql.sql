-- Changes the database to match the structs. Review it before you apply it.

-- A program that uses `tickets` fails from here on: stop such servers before, or keep the table with
-- `table = "tickets"`. Further changes are for another file: run `migrate diff` again after this one.
ALTER TABLE `tickets` RENAME TO `cases`;
ALTER TABLE `cases` RENAME INDEX `ux_tickets__number` TO `ux_cases__number`;
ALTER TABLE `cases` RENAME INDEX `ix_tickets__rank` TO `ix_cases__rank`;
ALTER TABLE `cases` RENAME INDEX `ix_tickets__customer_id` TO `ix_cases__customer_id`;
ALTER TABLE `cases` DROP CONSTRAINT `check_tickets__number`, ADD CONSTRAINT `check_cases__number` CHECK (char_length(`number`) <= 40);
ALTER TABLE `cases` DROP CONSTRAINT `check_tickets__rank`, ADD CONSTRAINT `check_cases__rank` CHECK (`rank` >= 1);
