-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE `readers` ADD COLUMN `deleted_at` DATETIME(6);

ALTER TABLE `readers` ADD COLUMN `crud_nocase_email` VARCHAR(100) GENERATED ALWAYS AS (LOWER(`email`)) VIRTUAL;
-- Fails where records have the same values in any letter case:
-- SELECT LOWER(`email`), COUNT(*) FROM `readers` WHERE `email` IS NOT NULL GROUP BY LOWER(`email`) HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_readers__nocase_email` ON `readers` (`crud_nocase_email`);

ALTER TABLE `readers` ADD COLUMN `crud_active` TINYINT GENERATED ALWAYS AS (IF(`deleted_at` IS NULL, 1, NULL)) VIRTUAL;
ALTER TABLE `readers` ADD COLUMN `crud_nocase_handle` VARCHAR(50) GENERATED ALWAYS AS (LOWER(`handle`)) VIRTUAL;
-- Fails where records have the same values in any letter case:
-- SELECT `library_id`, LOWER(`handle`), COUNT(*) FROM `readers` WHERE `library_id` IS NOT NULL AND `handle` IS NOT NULL AND `deleted_at` IS NULL GROUP BY `library_id`, LOWER(`handle`) HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_readers__library_id__nocase_handle` ON `readers` (`library_id`, `crud_nocase_handle`, `crud_active`);

ALTER TABLE `readers` ADD COLUMN `crud_nocase_card` VARCHAR(50) GENERATED ALWAYS AS (LOWER(`card`)) VIRTUAL;
-- Fails where records have the same values in any letter case:
-- SELECT `library_id`, `branch`, LOWER(`card`), COUNT(*) FROM `readers` WHERE `library_id` IS NOT NULL AND `branch` IS NOT NULL AND `card` IS NOT NULL GROUP BY `library_id`, `branch`, LOWER(`card`) HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_readers__library_id__branch__nocase_card` ON `readers` (`library_id`, `branch`, `crud_nocase_card`);

DROP INDEX `ux_readers__email` ON `readers`;

DROP INDEX `ux_readers__library_id__branch__card` ON `readers`;

CREATE INDEX `ix_readers__library_id__deleted_at` ON `readers` (`library_id`, `deleted_at`);
