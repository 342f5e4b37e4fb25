-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Changes the database to match the structs. Review it before you apply it.

DROP TRIGGER IF EXISTS `search_63980c5e_books_insert`;
DROP TRIGGER IF EXISTS `search_63980c5e_books_update`;
DROP TRIGGER IF EXISTS `search_63980c5e_books_delete`;
DROP TABLE IF EXISTS `search_63980c5e_books`;

-- Writes all records anew, 1 here, while other writers of the database wait, three seconds for a million.
-- SQLite takes these changes in a table that is written anew:
-- - `heading` was `title`
-- - `page_count` was `pages`
-- - `writer_id` was `author_id`
-- - `summary` was `note`
-- - `shelf`: allows null, must be NOT NULL
-- - `language`: is missing
-- - `is_old`: is missing
-- - `colour`: is missing
-- Fails where the table has columns that this does not know, whose values would be lost.
CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('books')
  WHERE name COLLATE NOCASE NOT IN ('id', 'title', 'pages', 'author_id', 'note', 'shelf', 'deleted_at');
DROP TABLE `unknown`;
ALTER TABLE `books` RENAME COLUMN `title` TO `heading`;
ALTER TABLE `books` RENAME COLUMN `pages` TO `page_count`;
ALTER TABLE `books` RENAME COLUMN `author_id` TO `writer_id`;
ALTER TABLE `books` RENAME COLUMN `note` TO `summary`;
CREATE TABLE `books_new` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `heading` TEXT NOT NULL CONSTRAINT `check_heading` CHECK (length(`heading`) <= 255),
  `page_count` INTEGER NOT NULL CONSTRAINT `check_page_count` CHECK (`page_count` BETWEEN -2147483648 AND 2147483647 AND `page_count` >= 1),
  `writer_id` INTEGER NOT NULL REFERENCES `authors` (`id`) ON DELETE RESTRICT,
  `summary` TEXT NOT NULL,
  `shelf` TEXT NOT NULL DEFAULT 'none' CONSTRAINT `check_shelf` CHECK (length(`shelf`) <= 20),
  `language` TEXT NOT NULL DEFAULT 'en' CONSTRAINT `check_language` CHECK (length(`language`) <= 35),
  `is_old` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_is_old` CHECK (`is_old` IN (0, 1)),
  `colour` TEXT,
  `deleted_at` TEXT,
  UNIQUE (`heading`)
) STRICT;
INSERT INTO `books_new` (`id`, `heading`, `page_count`, `writer_id`, `summary`, `shelf`, `language`, `is_old`, `colour`, `deleted_at`)
  SELECT `id`, `heading`, `page_count`, `writer_id`, `summary`, coalesce(`shelf`, 'none') AS `shelf`, 'en' AS `language`, 1 AS `is_old`, NULL AS `colour`, `deleted_at` FROM `books`;
DELETE FROM sqlite_sequence WHERE name = 'books_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'books_new', seq FROM sqlite_sequence WHERE name = 'books';
DROP TABLE `books`;
ALTER TABLE `books_new` RENAME TO `books`;
CREATE INDEX `ix_books__writer_id__page_count__id__deleted_at` ON `books` (`writer_id`, `page_count`, `id`, `deleted_at`) WHERE `deleted_at` IS NULL;
CREATE INDEX `ix_books__writer_id__id__deleted_at` ON `books` (`writer_id`, `id`, `deleted_at`);
CREATE INDEX `ix_books__page_count__id__deleted_at` ON `books` (`page_count`, `id`, `deleted_at`) WHERE `deleted_at` IS NULL;
CREATE INDEX `ix_deleted_books__deleted_at` ON `books` (`deleted_at`) WHERE `deleted_at` IS NOT NULL;
-- Fails where a record refers to none.
CREATE TEMPORARY TABLE `dangling` (`records` INTEGER CHECK (`records` = 0));
INSERT INTO `dangling` SELECT COUNT(*) FROM pragma_foreign_key_check('books');
DROP TABLE `dangling`;

-- Reads all records, 1 here, while other writers of the database wait.
CREATE VIRTUAL TABLE `search_7eaef7c7_books` USING fts5(`summary`, content = `books`, content_rowid = `id`, tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'");
CREATE TRIGGER `search_7eaef7c7_books_insert` AFTER INSERT ON `books` BEGIN INSERT INTO `search_7eaef7c7_books` (rowid, `summary`) VALUES (new.`id`, new.`summary`); END;
CREATE TRIGGER `search_7eaef7c7_books_update` AFTER UPDATE OF `id`, `summary` ON `books` BEGIN INSERT INTO `search_7eaef7c7_books` (`search_7eaef7c7_books`, rowid, `summary`) VALUES ('delete', old.`id`, old.`summary`); INSERT INTO `search_7eaef7c7_books` (rowid, `summary`) VALUES (new.`id`, new.`summary`); END;
CREATE TRIGGER `search_7eaef7c7_books_delete` AFTER DELETE ON `books` BEGIN INSERT INTO `search_7eaef7c7_books` (`search_7eaef7c7_books`, rowid, `summary`) VALUES ('delete', old.`id`, old.`summary`); END;
INSERT INTO `search_7eaef7c7_books` (`search_7eaef7c7_books`) VALUES ('rebuild');

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
