-- Changes the database to match the structs. Review it before you apply it.
-- Tables and indexes that a service has already created stay as they are.

CREATE TABLE IF NOT EXISTS `notes` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `author` INTEGER,
  `size` INTEGER CONSTRAINT `check_size` CHECK (`size` BETWEEN -2147483648 AND 2147483647)
) STRICT;
CREATE INDEX IF NOT EXISTS `ix_notes__some_author__size` ON `notes` (`author`, `size`) WHERE `author` IS NOT NULL;

CREATE TABLE IF NOT EXISTS `marks` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `author` INTEGER,
  `size` INTEGER NOT NULL CONSTRAINT `check_size` CHECK (`size` BETWEEN -2147483648 AND 2147483647),
  `shelf` INTEGER NOT NULL CONSTRAINT `check_shelf` CHECK (`shelf` BETWEEN -2147483648 AND 2147483647),
  `deleted_at` TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS `ix_marks__some_author__size__id__deleted_at` ON `marks` (`author`, `size`, `id`, `deleted_at`) WHERE `deleted_at` IS NULL AND `author` IS NOT NULL;
CREATE INDEX IF NOT EXISTS `ix_deleted_marks__deleted_at__shelf` ON `marks` (`deleted_at`, `shelf`) WHERE `deleted_at` IS NOT NULL;
CREATE INDEX IF NOT EXISTS `ix_deleted_marks__deleted_at` ON `marks` (`deleted_at`) WHERE `deleted_at` IS NOT NULL;
