CREATE TABLE `notes` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `text` TEXT NOT NULL CONSTRAINT `check_text` CHECK (length(`text`) <= 100)
) STRICT;
CREATE TABLE `letters` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `text` TEXT NOT NULL
) STRICT;
CREATE TABLE `audit_logs` (
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
CREATE TABLE `crud_jobs` (
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
CREATE TABLE `crud_schedules` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `last_run` TEXT NOT NULL
) STRICT;
CREATE TABLE `crud_counters` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `value` INTEGER NOT NULL
) STRICT;
CREATE TABLE `crud_secrets` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `value` BLOB NOT NULL
) STRICT;
CREATE TABLE `crud_idempotency` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 64),
  `fingerprint` TEXT NOT NULL CONSTRAINT `check_fingerprint` CHECK (length(`fingerprint`) <= 64),
  `status` INTEGER CONSTRAINT `check_status` CHECK (`status` BETWEEN -2147483648 AND 2147483647),
  `headers` TEXT CONSTRAINT `check_headers` CHECK ((`headers` IS NULL OR json_valid(`headers`))),
  `body` BLOB,
  `expires_at` TEXT NOT NULL
) STRICT;
CREATE TABLE `auth_users` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `username` TEXT NOT NULL CONSTRAINT `check_username` CHECK (length(`username`) >= 1 AND length(`username`) <= 255),
  `password_hash` TEXT NOT NULL,
  `disabled` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_disabled` CHECK (`disabled` IN (0, 1)),
  `roles` TEXT NOT NULL DEFAULT '[]' CONSTRAINT `check_roles` CHECK (json_valid(`roles`) AND json_type(`roles`) = 'array'),
  `permissions` TEXT NOT NULL DEFAULT '[]' CONSTRAINT `check_permissions` CHECK (json_valid(`permissions`) AND json_type(`permissions`) = 'array'),
  `claims` TEXT CONSTRAINT `check_claims` CHECK ((`claims` IS NULL OR json_valid(`claims`))),
  `generation` TEXT CONSTRAINT `check_generation` CHECK (length(`generation`) <= 36),
  `created_at` TEXT NOT NULL,
  `updated_at` TEXT NOT NULL,
  UNIQUE (`username`)
) STRICT;
CREATE TABLE `auth_revocations` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `expires_at` TEXT NOT NULL
) STRICT;
INSERT INTO "notes" VALUES (1, 'changed then');
INSERT INTO "notes" VALUES (2, 'second then');
INSERT INTO "notes" VALUES (3, 'later then');
INSERT INTO "letters" VALUES (1, 'first then');
INSERT INTO "letters" VALUES (2, 'second then');
INSERT INTO "letters" VALUES (3, 'changed then');
INSERT INTO "audit_logs" VALUES (1, 'Note', 1, NULL, 'create', 1, '1', '{"id":1,"text":"first then"}', NULL, '2026-11-29T01:33:46.032246Z', NULL);
INSERT INTO "audit_logs" VALUES (2, 'Note', 2, NULL, 'create', 1, '1', '{"id":2,"text":"second then"}', NULL, '2026-11-29T01:33:46.041935Z', NULL);
INSERT INTO "audit_logs" VALUES (3, 'Note', 3, NULL, 'create', 1, '1', '{"id":3,"text":"later then"}', NULL, '2026-11-29T01:33:46.046860Z', NULL);
INSERT INTO "audit_logs" VALUES (4, 'Note', 1, NULL, 'update', 1, '1', '{"text":"changed then"}', '{"text":"first then"}', '2026-11-29T01:33:46.050770Z', NULL);
INSERT INTO "crud_jobs" VALUES (3, 'letter', '{"text":"later then"}', '2026-11-29T02:33:46.047038Z', NULL, 0, 0, NULL, NULL, NULL, '2026-11-29T01:33:46.047098Z');
INSERT INTO "crud_secrets" VALUES ('cursors', X'A73F6A3E709BABBD61205386FD1CF670E8376040DE6B345E6C225856A7A92B91');
INSERT INTO "crud_idempotency" VALUES ('babe11ea02483ec7f6f4e47f0766b47917a23784a551d26981732c3c173142de', '1ddba11acdc03ab5f767417ab96708b4988d5ef470c293fa8f1952b76ca0832d', 201, '{"content-type":"application/json","etag":"\"b81a03def5f85c07cad90fc346013907\"","location":"/notes/1"}', X'7B226964223A312C2274657874223A226669727374207468656E227D', '2026-11-30T01:33:46.031785Z');
INSERT INTO "auth_users" VALUES (1, 'admin', '$argon2id$v=19$m=19456,t=2,p=1$2nGn2YiybJy4p2WFuRyPGg$viepIfV0LyCaTHwn3IK2aJwbRKY1cTOA3W2d1oiAudo', 0, '["admin"]', '[]', NULL, NULL, '2026-11-29T01:33:45.622027Z', '2026-11-29T01:33:45.622027Z');
INSERT INTO "auth_users" VALUES (2, 'open then', '$argon2id$v=19$m=19456,t=2,p=1$UKTazJJzq7zz9tb2sxW+mw$GSJvZ7Bbd/0Q8oXfmLpfrvwIj7kusg72WOWNmP8dOPE', 0, '[]', '[]', NULL, NULL, '2026-11-29T01:33:45.694131Z', '2026-11-29T01:33:45.694131Z');
INSERT INTO "auth_users" VALUES (3, 'ended then', '$argon2id$v=19$m=19456,t=2,p=1$HL5e6F9rNzhbgZoksjCpsg$gcfkOGydeI92eIz3wBvls6ynBuhGzoHtsJrpGG6ub7c', 0, '[]', '[]', NULL, '01a224ef-d097-7162-9108-d786bc8131d1', '2026-11-29T01:33:45.755860Z', '2026-11-29T01:33:46.007768Z');
INSERT INTO "auth_users" VALUES (4, 'disabled then', '$argon2id$v=19$m=19456,t=2,p=1$Ak2zN5VlqDvNhCS4+CtqDA$FsNX+zZAbwuFuGe2fSPxxGIwVT4L/621ih08M/1eGU0', 1, '[]', '[]', NULL, '01a224ef-d0aa-77e3-8049-ae2c5ca5545f', '2026-11-29T01:33:45.850304Z', '2026-11-29T01:33:46.026622Z');
INSERT INTO "auth_users" VALUES (5, 'left then', '$argon2id$v=19$m=19456,t=2,p=1$duecsKbAm77QQN3mL5ctOg$x0nawRB53i4M2KZUMhw/bqHoKoZXOXpTOkSCE3hj5FQ', 0, '[]', '[]', NULL, NULL, '2026-11-29T01:33:45.890034Z', '2026-11-29T01:33:45.890034Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d074-765b-98db-df72f52354a1', '2126-11-05T01:33:47.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d073-72c7-beb4-af99c2c49307', '2126-11-05T01:33:47.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d036-7296-acbe-1dfc44473e7a', '2126-11-05T01:33:47.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d036-7296-acbe-1dfa0fcc747e', '2126-11-05T01:33:47.000000Z');
CREATE INDEX `ix_audit_logs__entity_type__entity_id__timestamp` ON `audit_logs` (`entity_type`, `entity_id`, `timestamp`);
CREATE INDEX `ix_audit_logs__timestamp` ON `audit_logs` (`timestamp`);
CREATE INDEX `ix_audit_logs__entity_type__some_entity_key__timestamp` ON `audit_logs` (`entity_type`, `entity_key`, `timestamp`) WHERE `entity_key` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_user_id__timestamp` ON `audit_logs` (`user_id`, `timestamp`) WHERE `user_id` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_tenant__timestamp` ON `audit_logs` (`tenant`, `timestamp`) WHERE `tenant` IS NOT NULL;
CREATE INDEX `ix_crud_jobs__dead__run_at` ON `crud_jobs` (`dead`, `run_at`);
CREATE INDEX `ix_crud_idempotency__expires_at__id` ON `crud_idempotency` (`expires_at`, `id`);
CREATE INDEX `ix_auth_revocations__expires_at__id` ON `auth_revocations` (`expires_at`, `id`);
