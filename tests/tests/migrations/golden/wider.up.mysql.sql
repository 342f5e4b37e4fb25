-- Changes the database to match the structs. Review it before you apply it.

-- Writes all records anew, 1 here, while other writers of the table wait.
ALTER TABLE `items` MODIFY COLUMN `note` VARCHAR(200) NOT NULL;

-- Writes all records anew, 1 here, while other writers of the table wait.
ALTER TABLE `items` MODIFY COLUMN `count` BIGINT NOT NULL;

ALTER TABLE `items` ADD COLUMN `crud_active` TINYINT GENERATED ALWAYS AS (IF(`deleted_at` IS NULL, 1, NULL)) VIRTUAL;
-- Fails where records have the same values:
-- SELECT `label`, COUNT(*) FROM `items` WHERE `label` IS NOT NULL AND `deleted_at` IS NULL GROUP BY `label` HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_items__label` ON `items` (`label`, `crud_active`);

-- Writes all records anew, 1 here, while other writers of the table wait.
ALTER TABLE `items` DROP CONSTRAINT `check_items__note`;
-- Fails where a record has another value.
ALTER TABLE `items` ADD CONSTRAINT `check_items__note` CHECK (char_length(`note`) <= 200);

-- Writes all records anew, 1 here, while other writers of the table wait.
ALTER TABLE `items` DROP FOREIGN KEY `items_ibfk_1`;
-- Fails where a record refers to none.
ALTER TABLE `items` ADD CONSTRAINT `items_ibfk_1` FOREIGN KEY (`shelf_id`) REFERENCES `shelves` (`id`) ON DELETE CASCADE;
