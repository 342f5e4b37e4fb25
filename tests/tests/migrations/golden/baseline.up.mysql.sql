-- The tables as they were before the first migration: an empty database gets the same ones.
-- Tables and indexes that exist stay as they are.

CREATE TABLE IF NOT EXISTS `authors` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(100) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `ux_authors__name` (`name`),
  CONSTRAINT `check_authors__name` CHECK (char_length(`name`) <= 100)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `books` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `title` varchar(255) NOT NULL,
  `pages` int(11) NOT NULL DEFAULT 5,
  `author_id` bigint(20) NOT NULL,
  `price` decimal(18,4) NOT NULL,
  `deleted_at` datetime(6) DEFAULT NULL,
  `crud_search_51ba4742` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci GENERATED ALWAYS AS (concat('w__',regexp_replace(concat_ws(' ',`title`),'[^[:alnum:]]+',' w__'))) STORED,
  PRIMARY KEY (`id`),
  UNIQUE KEY `ux_books__title` (`title`),
  KEY `ix_books__deleted_at__pages` (`deleted_at`,`pages`),
  KEY `ix_books__author_id` (`author_id`),
  KEY `ix_books__deleted_at` (`deleted_at`),
  FULLTEXT KEY `search_51ba4742_books` (`crud_search_51ba4742`),
  CONSTRAINT `books_ibfk_1` FOREIGN KEY (`author_id`) REFERENCES `authors` (`id`),
  CONSTRAINT `check_books__title` CHECK (char_length(`title`) <= 255),
  CONSTRAINT `check_books__pages` CHECK (`pages` >= 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `audit_logs` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `entity_type` longtext NOT NULL,
  `entity_id` bigint(20) DEFAULT NULL,
  `entity_key` longtext DEFAULT NULL,
  `action` longtext NOT NULL,
  `user_id` bigint(20) DEFAULT NULL,
  `actor` longtext DEFAULT NULL,
  `changes` longtext DEFAULT NULL,
  `previous` longtext DEFAULT NULL,
  `timestamp` datetime(6) DEFAULT NULL,
  `tenant` longtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_audit_logs__entity_type__entity_id__timestamp` (`entity_type`(255),`entity_id`,`timestamp`),
  KEY `ix_audit_logs__timestamp` (`timestamp`),
  KEY `ix_audit_logs__entity_type__entity_key__timestamp` (`entity_type`(255),`entity_key`(255),`timestamp`),
  KEY `ix_audit_logs__user_id__timestamp` (`user_id`,`timestamp`),
  KEY `ix_audit_logs__tenant__timestamp` (`tenant`(255),`timestamp`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
