-- The tables as they were before the first migration: an empty database gets the same ones.
-- Tables and indexes that exist stay as they are.

CREATE TABLE IF NOT EXISTS `authors` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `name` TEXT NOT NULL CONSTRAINT `check_name` CHECK (length(`name`) <= 100),
  UNIQUE (`name`)
) STRICT;

CREATE TABLE IF NOT EXISTS `books` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `title` TEXT NOT NULL CONSTRAINT `check_title` CHECK (length(`title`) <= 255),
  `pages` INTEGER NOT NULL DEFAULT 5 CONSTRAINT `check_pages` CHECK (`pages` BETWEEN -2147483648 AND 2147483647 AND `pages` >= 1),
  `author_id` INTEGER NOT NULL REFERENCES `authors` (`id`) ON DELETE RESTRICT,
  `price` INTEGER NOT NULL CONSTRAINT `check_price` CHECK (`price` BETWEEN -999999999999999999 AND 999999999999999999 /* units of 1/10^4 */),
  `deleted_at` TEXT,
  UNIQUE (`title`)
) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS `search_51ba4742_books` USING fts5(`title`, content = `books`, content_rowid = `id`, tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'");
CREATE TRIGGER IF NOT EXISTS `search_51ba4742_books_insert` AFTER INSERT ON `books` BEGIN INSERT INTO `search_51ba4742_books` (rowid, `title`) VALUES (new.`id`, new.`title`); END;
CREATE TRIGGER IF NOT EXISTS `search_51ba4742_books_update` AFTER UPDATE OF `id`, `title` ON `books` BEGIN INSERT INTO `search_51ba4742_books` (`search_51ba4742_books`, rowid, `title`) VALUES ('delete', old.`id`, old.`title`); INSERT INTO `search_51ba4742_books` (rowid, `title`) VALUES (new.`id`, new.`title`); END;
CREATE TRIGGER IF NOT EXISTS `search_51ba4742_books_delete` AFTER DELETE ON `books` BEGIN INSERT INTO `search_51ba4742_books` (`search_51ba4742_books`, rowid, `title`) VALUES ('delete', old.`id`, old.`title`); END;
CREATE INDEX IF NOT EXISTS `ix_books__pages__id__deleted_at` ON `books` (`pages`, `id`, `deleted_at`) WHERE `deleted_at` IS NULL;
CREATE INDEX IF NOT EXISTS `ix_books__author_id` ON `books` (`author_id`);
CREATE INDEX IF NOT EXISTS `ix_deleted_books__deleted_at` ON `books` (`deleted_at`) WHERE `deleted_at` IS NOT NULL;

CREATE TABLE IF NOT EXISTS `audit_logs` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `entity_type` TEXT NOT NULL,
  `entity_id` INTEGER,
  `entity_key` TEXT,
  `action` TEXT NOT NULL,
  `user_id` INTEGER,
  `actor` TEXT,
  `changes` TEXT CONSTRAINT `check_changes` CHECK ((`changes` IS NULL OR json_valid(`changes`))),
  `previous` TEXT CONSTRAINT `check_previous` CHECK ((`previous` IS NULL OR json_valid(`previous`))),
  `timestamp` TEXT,
  `tenant` TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS `ix_audit_logs__entity_type__entity_id__timestamp` ON `audit_logs` (`entity_type`, `entity_id`, `timestamp`);
CREATE INDEX IF NOT EXISTS `ix_audit_logs__timestamp` ON `audit_logs` (`timestamp`);
CREATE INDEX IF NOT EXISTS `ix_audit_logs__entity_type__some_entity_key__timestamp` ON `audit_logs` (`entity_type`, `entity_key`, `timestamp`) WHERE `entity_key` IS NOT NULL;
CREATE INDEX IF NOT EXISTS `ix_audit_logs__some_user_id__timestamp` ON `audit_logs` (`user_id`, `timestamp`) WHERE `user_id` IS NOT NULL;
CREATE INDEX IF NOT EXISTS `ix_audit_logs__some_tenant__timestamp` ON `audit_logs` (`tenant`, `timestamp`) WHERE `tenant` IS NOT NULL;
