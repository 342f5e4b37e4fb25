-- Changes the database to match the structs. Review it before you apply it.

-- Fails where records have the same values:
-- SELECT `email`, COUNT(*) FROM `readers` WHERE `email` IS NOT NULL GROUP BY `email` HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_readers__email` ON `readers` (`email`);

-- Fails where records have the same values:
-- SELECT `library_id`, `branch`, `card`, COUNT(*) FROM `readers` WHERE `library_id` IS NOT NULL AND `branch` IS NOT NULL AND `card` IS NOT NULL GROUP BY `library_id`, `branch`, `card` HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_readers__library_id__branch__card` ON `readers` (`library_id`, `branch`, `card`);

DROP INDEX `ux_readers__library_id__branch__nocase_card` ON `readers`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_card`;

DROP INDEX `ux_readers__nocase_email` ON `readers`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_email`;

-- The struct no longer has `deleted_at`. This drops the column and its values:
-- DROP INDEX `ux_readers__library_id__nocase_handle` ON `readers`;
-- ALTER TABLE `readers` DROP COLUMN `crud_active`;
-- ALTER TABLE `readers` DROP COLUMN `deleted_at`;
