-- Reverts that. Review it before you apply it.
-- For an up file of the hash a5390a2f45215f4f

ALTER TABLE `items` DROP FOREIGN KEY `items_ibfk_1`;
-- Fails where a record refers to none.
ALTER TABLE `items` ADD CONSTRAINT `items_ibfk_1` FOREIGN KEY (`shelf_id`) REFERENCES `shelves` (`id`) ON DELETE SET NULL;

ALTER TABLE `items` DROP CONSTRAINT `check_items__note`;
-- Fails where a record has another value.
ALTER TABLE `items` ADD CONSTRAINT `check_items__note` CHECK (char_length(`note`) <= 20);

DROP INDEX `ux_items__label` ON `items`;
ALTER TABLE `items` DROP COLUMN `crud_active`;

ALTER TABLE `items` MODIFY COLUMN `count` int(11) NOT NULL;

ALTER TABLE `items` MODIFY COLUMN `note` varchar(20) NOT NULL;
