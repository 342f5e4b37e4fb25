-- Changes the database to match the structs. Review it before you apply it.

-- A program that uses `tickets` fails from here on: stop such servers before, or keep the table with
-- `table = "tickets"`. Further changes are for another file: run `migrate diff` again after this one.
DROP INDEX `ix_tickets__rank`;
DROP INDEX `ix_tickets__customer_id`;
ALTER TABLE `tickets` RENAME TO `cases`;
CREATE INDEX `ix_cases__rank` ON `cases` (`rank`);
CREATE INDEX `ix_cases__customer_id` ON `cases` (`customer_id`);
