-- Reverts that. Review it before you apply it.
-- For an up file of the hash d090cf3eb3596a20

DROP INDEX `ix_deleted_readers__library_id__deleted_at`;

DROP INDEX `ux_readers__library_id__branch__nocase_card`;

DROP INDEX `ux_readers__library_id__nocase_handle`;

DROP INDEX `ux_readers__nocase_email`;

ALTER TABLE `readers` DROP COLUMN `deleted_at`;
