-- Changes the database to match the structs. Review it before you apply it.

DROP INDEX `ux_readers__library_id__branch__nocase_card` ON `readers`;
DROP INDEX `ux_readers__nocase_email` ON `readers`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_email`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_card`;
ALTER TABLE `readers` DROP CONSTRAINT `check_readers__email`;
ALTER TABLE `readers` RENAME COLUMN `email` TO `address`;
ALTER TABLE `readers` ADD CONSTRAINT `check_readers__address` CHECK (CHAR_LENGTH(`address`) <= 100);
ALTER TABLE `readers` DROP CONSTRAINT `check_readers__card`;
ALTER TABLE `readers` RENAME COLUMN `card` TO `number`;
ALTER TABLE `readers` ADD CONSTRAINT `check_readers__number` CHECK (CHAR_LENGTH(`number`) <= 50);
ALTER TABLE `readers` ADD COLUMN `crud_nocase_address` VARCHAR(100) GENERATED ALWAYS AS (LOWER(`address`)) VIRTUAL;
ALTER TABLE `readers` ADD COLUMN `crud_nocase_number` VARCHAR(50) GENERATED ALWAYS AS (LOWER(`number`)) VIRTUAL;
CREATE UNIQUE INDEX `ux_readers__library_id__branch__nocase_number` ON `readers` (`library_id`, `branch`, `crud_nocase_number`);
CREATE UNIQUE INDEX `ux_readers__nocase_address` ON `readers` (`crud_nocase_address`);
