-- Reverts that. Review it before you apply it.
-- For an up file of the hash 7e4f16cfa1a03048

DROP INDEX `ix_deleted_readers__library_id__deleted_at`;

DROP INDEX `ux_readers__library_id__branch__nocase_card`;

DROP INDEX `ux_readers__library_id__nocase_handle`;

DROP INDEX `ux_readers__nocase_email`;

ALTER TABLE `readers` DROP COLUMN `deleted_at`;
