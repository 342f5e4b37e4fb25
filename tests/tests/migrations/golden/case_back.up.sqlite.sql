-- Changes the database to match the structs. Review it before you apply it.

DROP INDEX `ux_readers__library_id__branch__nocase_card`;

DROP INDEX `ux_readers__nocase_email`;

-- The struct no longer has `deleted_at`. This drops the column and its values:
-- DROP INDEX `ix_deleted_readers__library_id__deleted_at`;
-- DROP INDEX `ux_readers__library_id__nocase_handle`;
-- ALTER TABLE `readers` DROP COLUMN `deleted_at`;
