-- Changes the database to match the structs. Review it before you apply it.
-- Tables and indexes that a service has already created stay as they are.

CREATE TABLE IF NOT EXISTS `notes` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `text` TEXT NOT NULL CONSTRAINT `check_text` CHECK (length(`text`) <= 100)
) STRICT;

CREATE TABLE IF NOT EXISTS `letters` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `text` TEXT NOT NULL
) STRICT;

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

CREATE TABLE IF NOT EXISTS `crud_jobs` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `kind` TEXT NOT NULL CONSTRAINT `check_kind` CHECK (length(`kind`) >= 1 AND length(`kind`) <= 100),
  `payload` TEXT NOT NULL CONSTRAINT `check_payload` CHECK (json_valid(`payload`)),
  `run_at` TEXT NOT NULL,
  `unique_key` TEXT CONSTRAINT `check_unique_key` CHECK (length(`unique_key`) <= 255),
  `dead` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_dead` CHECK (`dead` IN (0, 1)),
  `attempts` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_attempts` CHECK (`attempts` BETWEEN -2147483648 AND 2147483647),
  `leased_until` TEXT,
  `last_error` TEXT,
  `tenant` TEXT,
  `created_at` TEXT NOT NULL,
  UNIQUE (`unique_key`)
) STRICT;
CREATE INDEX IF NOT EXISTS `ix_crud_jobs__dead__run_at` ON `crud_jobs` (`dead`, `run_at`);

CREATE TABLE IF NOT EXISTS `crud_schedules` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `last_run` TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS `crud_counters` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `value` INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS `crud_secrets` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `value` BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS `crud_idempotency` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 64),
  `fingerprint` TEXT NOT NULL CONSTRAINT `check_fingerprint` CHECK (length(`fingerprint`) <= 64),
  `status` INTEGER CONSTRAINT `check_status` CHECK (`status` BETWEEN -2147483648 AND 2147483647),
  `headers` TEXT CONSTRAINT `check_headers` CHECK ((`headers` IS NULL OR json_valid(`headers`))),
  `body` BLOB,
  `expires_at` TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS `ix_crud_idempotency__expires_at__id` ON `crud_idempotency` (`expires_at`, `id`);

CREATE TABLE IF NOT EXISTS `auth_users` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `username` TEXT NOT NULL CONSTRAINT `check_username` CHECK (length(`username`) >= 1 AND length(`username`) <= 255),
  `password_hash` TEXT NOT NULL,
  `disabled` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_disabled` CHECK (`disabled` IN (0, 1)),
  `roles` TEXT NOT NULL DEFAULT '[]' CONSTRAINT `check_roles` CHECK (json_valid(`roles`) AND json_type(`roles`) = 'array'),
  `permissions` TEXT NOT NULL DEFAULT '[]' CONSTRAINT `check_permissions` CHECK (json_valid(`permissions`) AND json_type(`permissions`) = 'array'),
  `claims` TEXT CONSTRAINT `check_claims` CHECK ((`claims` IS NULL OR json_valid(`claims`))),
  `generation` TEXT CONSTRAINT `check_generation` CHECK (length(`generation`) <= 36),
  `tokens_since` TEXT,
  `created_at` TEXT NOT NULL,
  `updated_at` TEXT NOT NULL,
  UNIQUE (`username`)
) STRICT;

CREATE TABLE IF NOT EXISTS `auth_revocations` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `expires_at` TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS `ix_auth_revocations__expires_at__id` ON `auth_revocations` (`expires_at`, `id`);
