-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Reverts that. Review it before you apply it.
-- For an up file of the hash ab75ba339d916d1f

DROP TRIGGER IF EXISTS `search_7eaef7c7_books_insert`;
DROP TRIGGER IF EXISTS `search_7eaef7c7_books_update`;
DROP TRIGGER IF EXISTS `search_7eaef7c7_books_delete`;
DROP TABLE IF EXISTS `search_7eaef7c7_books`;

-- As it was before:
-- Loses the values of `books`.`language`.
-- Loses the values of `books`.`is_old`.
-- Loses the values of `books`.`colour`.
-- Fails where the table has columns that this does not know, whose values would be lost.
CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('books')
  WHERE name COLLATE NOCASE NOT IN ('id', 'heading', 'page_count', 'writer_id', 'summary', 'shelf', 'language', 'is_old', 'colour', 'deleted_at');
DROP TABLE `unknown`;
ALTER TABLE `books` RENAME COLUMN `summary` TO `note`;
ALTER TABLE `books` RENAME COLUMN `writer_id` TO `author_id`;
ALTER TABLE `books` RENAME COLUMN `page_count` TO `pages`;
ALTER TABLE `books` RENAME COLUMN `heading` TO `title`;
CREATE TABLE `books_new` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `title` TEXT NOT NULL CONSTRAINT `check_title` CHECK (length(`title`) <= 255),
  `pages` INTEGER NOT NULL CONSTRAINT `check_pages` CHECK (`pages` BETWEEN -2147483648 AND 2147483647 AND `pages` >= 1),
  `author_id` INTEGER NOT NULL REFERENCES `authors` (`id`) ON DELETE RESTRICT,
  `note` TEXT NOT NULL,
  `shelf` TEXT CONSTRAINT `check_shelf` CHECK (length(`shelf`) <= 20),
  `deleted_at` TEXT,
  UNIQUE (`title`)
) STRICT;
INSERT INTO `books_new` (`id`, `title`, `pages`, `author_id`, `note`, `shelf`, `deleted_at`)
  SELECT `id`, `title`, `pages`, `author_id`, `note`, `shelf`, `deleted_at` FROM `books`;
DELETE FROM sqlite_sequence WHERE name = 'books_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'books_new', seq FROM sqlite_sequence WHERE name = 'books';
DROP TABLE `books`;
ALTER TABLE `books_new` RENAME TO `books`;
CREATE INDEX `ix_books__author_id__pages__id__deleted_at` ON `books` (`author_id`, `pages`, `id`, `deleted_at`) WHERE `deleted_at` IS NULL;
CREATE INDEX `ix_books__author_id__id__deleted_at` ON `books` (`author_id`, `id`, `deleted_at`);
CREATE INDEX `ix_books__pages__id__deleted_at` ON `books` (`pages`, `id`, `deleted_at`) WHERE `deleted_at` IS NULL;
CREATE INDEX `ix_deleted_books__deleted_at` ON `books` (`deleted_at`) WHERE `deleted_at` IS NOT NULL;
-- Fails where a record refers to none.
CREATE TEMPORARY TABLE `dangling` (`records` INTEGER CHECK (`records` = 0));
INSERT INTO `dangling` SELECT COUNT(*) FROM pragma_foreign_key_check('books');
DROP TABLE `dangling`;

CREATE VIRTUAL TABLE `search_63980c5e_books` USING fts5(`note`, content = `books`, content_rowid = `id`, tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'");
CREATE TRIGGER `search_63980c5e_books_insert` AFTER INSERT ON `books` BEGIN INSERT INTO `search_63980c5e_books` (rowid, `note`) VALUES (new.`id`, new.`note`); END;
CREATE TRIGGER `search_63980c5e_books_update` AFTER UPDATE OF `id`, `note` ON `books` BEGIN INSERT INTO `search_63980c5e_books` (`search_63980c5e_books`, rowid, `note`) VALUES ('delete', old.`id`, old.`note`); INSERT INTO `search_63980c5e_books` (rowid, `note`) VALUES (new.`id`, new.`note`); END;
CREATE TRIGGER `search_63980c5e_books_delete` AFTER DELETE ON `books` BEGIN INSERT INTO `search_63980c5e_books` (`search_63980c5e_books`, rowid, `note`) VALUES ('delete', old.`id`, old.`note`); END;
INSERT INTO `search_63980c5e_books` (`search_63980c5e_books`) VALUES ('rebuild');

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
