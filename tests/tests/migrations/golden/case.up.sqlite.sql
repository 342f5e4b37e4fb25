-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE `readers` ADD COLUMN `deleted_at` TEXT;

-- Reads all records, 1 here, while other writers of the database wait.
-- Fails where records have the same values in any letter case:
-- SELECT LOWER(`email`), COUNT(*) FROM `readers` WHERE `email` IS NOT NULL GROUP BY LOWER(`email`) HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_readers__nocase_email` ON `readers` (`email` COLLATE NOCASE);

-- Reads all records, 1 here, while other writers of the database wait.
-- Fails where records have the same values in any letter case.
CREATE UNIQUE INDEX `ux_readers__library_id__nocase_handle` ON `readers` (`library_id`, `handle` COLLATE NOCASE) WHERE `deleted_at` IS NULL;

-- Reads all records, 1 here, while other writers of the database wait.
-- Fails where records have the same values in any letter case:
-- SELECT `library_id`, `branch`, LOWER(`card`), COUNT(*) FROM `readers` WHERE `library_id` IS NOT NULL AND `branch` IS NOT NULL AND `card` IS NOT NULL GROUP BY `library_id`, `branch`, LOWER(`card`) HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_readers__library_id__branch__nocase_card` ON `readers` (`library_id`, `branch`, `card` COLLATE NOCASE);

-- `library_id`, `branch`, `card` are UNIQUE together, and no field asks for it. If that is to end, write the table anew without it.

-- `email` is UNIQUE, and no field asks for it. If that is to end, write the table anew without it.

-- Reads all records, 1 here, while other writers of the database wait.
CREATE INDEX `ix_deleted_readers__library_id__deleted_at` ON `readers` (`library_id`, `deleted_at`) WHERE `deleted_at` IS NOT NULL;
