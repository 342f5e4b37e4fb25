-- Reverts that. Review it before you apply it.
-- For an up file of the hash 53397f09ea052870

DROP INDEX `ix_readers__library_id__deleted_at` ON `readers`;

CREATE UNIQUE INDEX `ux_readers__library_id__branch__card` ON `readers` (`library_id`, `branch`, `card`);

CREATE UNIQUE INDEX `ux_readers__email` ON `readers` (`email`);

DROP INDEX `ux_readers__library_id__branch__nocase_card` ON `readers`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_card`;

DROP INDEX `ux_readers__library_id__nocase_handle` ON `readers`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_handle`;
ALTER TABLE `readers` DROP COLUMN `crud_active`;

DROP INDEX `ux_readers__nocase_email` ON `readers`;
ALTER TABLE `readers` DROP COLUMN `crud_nocase_email`;

ALTER TABLE `readers` DROP COLUMN `deleted_at`;
