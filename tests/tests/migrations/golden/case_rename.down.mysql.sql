-- Reverts that. Review it before you apply it.
-- For an up file of the hash 7ce29f57c1db06ee

DROP INDEX `ux_readers__nocase_address` ON `readers`;
DROP INDEX `ux_readers__library_id__branch__nocase_number` ON `readers`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_number`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_address`;
ALTER TABLE `readers` DROP CONSTRAINT `check_readers__number`;
ALTER TABLE `readers` RENAME COLUMN `number` TO `card`;
ALTER TABLE `readers` ADD CONSTRAINT `check_readers__card` CHECK (char_length(`card`) <= 50);
ALTER TABLE `readers` DROP CONSTRAINT `check_readers__address`;
ALTER TABLE `readers` RENAME COLUMN `address` TO `email`;
ALTER TABLE `readers` ADD CONSTRAINT `check_readers__email` CHECK (char_length(`email`) <= 100);
ALTER TABLE `readers` ADD COLUMN `crud_nocase_card` VARCHAR(50) GENERATED ALWAYS AS (LOWER(`card`)) VIRTUAL;
ALTER TABLE `readers` ADD COLUMN `crud_nocase_email` VARCHAR(100) GENERATED ALWAYS AS (LOWER(`email`)) VIRTUAL;
CREATE UNIQUE INDEX `ux_readers__nocase_email` ON `readers` (`crud_nocase_email`);
CREATE UNIQUE INDEX `ux_readers__library_id__branch__nocase_card` ON `readers` (`library_id`, `branch`, `crud_nocase_card`);
