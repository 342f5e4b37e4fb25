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
  `tokens_since` TEXT,
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
INSERT INTO "audit_logs" VALUES (1, 'Note', 1, NULL, 'create', 1, '1', '{"id":1,"text":"first then"}', NULL, '2026-11-29T09:55:20.343920Z', NULL);
INSERT INTO "audit_logs" VALUES (2, 'Note', 2, NULL, 'create', 1, '1', '{"id":2,"text":"second then"}', NULL, '2026-11-29T09:55:20.391213Z', NULL);
INSERT INTO "audit_logs" VALUES (3, 'Note', 3, NULL, 'create', 1, '1', '{"id":3,"text":"later then"}', NULL, '2026-11-29T09:55:20.444267Z', NULL);
INSERT INTO "audit_logs" VALUES (4, 'Note', 1, NULL, 'update', 1, '1', '{"text":"changed then"}', '{"text":"first then"}', '2026-11-29T09:55:20.482181Z', NULL);
INSERT INTO "crud_jobs" VALUES (3, 'letter', '{"text":"later then"}', '2026-11-29T10:55:20.451151Z', NULL, 0, 0, NULL, NULL, NULL, '2026-11-29T09:55:20.451385Z');
INSERT INTO "crud_secrets" VALUES ('cursors', X'6114DB17D2C0DA1FD2BAA66C2302342EB85249B2805AF8BECA9C62410F52AB2F');
INSERT INTO "crud_idempotency" VALUES ('babe11ea02483ec7f6f4e47f0766b47917a23784a551d26981732c3c173142de', '1ddba11acdc03ab5f767417ab96708b4988d5ef470c293fa8f1952b76ca0832d', 201, '{"content-type":"application/json","etag":"\"b81a03def5f85c07cad90fc346013907\"","location":"/notes/1"}', X'7B226964223A312C2274657874223A226669727374207468656E227D', '2026-11-30T09:55:20.337832Z');
INSERT INTO "auth_users" VALUES (1, 'admin', '$argon2id$v=19$m=19456,t=2,p=1$h6nO58heZ2kBvoyzCxBpEg$W5Xi6IQBFE3FyKAbnl8dZbkQz/E6jULhO4k++E5DCZI', 0, '["admin"]', '[]', NULL, NULL, NULL, '2026-11-29T09:55:18.528743Z', '2026-11-29T09:55:18.528743Z');
INSERT INTO "auth_users" VALUES (2, 'open then', '$argon2id$v=19$m=19456,t=2,p=1$IHSzQ6GA1KDc4ROKKaoWtw$qiYbmuHAX5z0O87J96cKA9bUdJylJRqxY6zdzwu8X8o', 0, '[]', '[]', NULL, NULL, NULL, '2026-11-29T09:55:19.048118Z', '2026-11-29T09:55:19.048118Z');
INSERT INTO "auth_users" VALUES (3, 'ended then', '$argon2id$v=19$m=19456,t=2,p=1$rLnxfRnrEEt547xwxpREwQ$jhUNg1yTSmpFmO65ziZzl3+LxT6I+xqXSw0hXu4gSUQ', 0, '[]', '[]', NULL, '01a226bb-043c-7570-991e-584995508bad', '2026-11-29T09:55:21.000000Z', '2026-11-29T09:55:19.158484Z', '2026-11-29T09:55:20.256918Z');
INSERT INTO "auth_users" VALUES (4, 'disabled then', '$argon2id$v=19$m=19456,t=2,p=1$tp8alb3k9tm7MVgpgt5ldQ$Cb6InpZZuzgqMoKaNOuSHJRheUw0gpga04dnRfPNoWI', 1, '[]', '[]', NULL, '01a226bb-045b-70b8-abd6-8f573f57719a', '2026-11-29T09:55:21.000000Z', '2026-11-29T09:55:19.621375Z', '2026-11-29T09:55:20.283581Z');
INSERT INTO "auth_users" VALUES (5, 'left then', '$argon2id$v=19$m=19456,t=2,p=1$fQJEfBWng73x73qrKkbQPQ$Nj7qkyBVbbcf+d9BbExadsnDAXS30gKNGXnCqVQfUTk', 0, '[]', '[]', NULL, NULL, NULL, '2026-11-29T09:55:19.910157Z', '2026-11-29T09:55:19.910157Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-0333-772d-a3f9-16b36f487b30', '2126-11-05T09:55:21.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-0333-772d-a3f9-16b105d730df', '2126-11-05T09:55:21.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-0309-71a9-815c-7689524339c9', '2126-11-05T09:55:21.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-0309-71a9-815c-7687407ad51d', '2126-11-05T09:55:21.000000Z');
CREATE INDEX `ix_audit_logs__entity_type__entity_id__timestamp` ON `audit_logs` (`entity_type`, `entity_id`, `timestamp`);
CREATE INDEX `ix_audit_logs__timestamp` ON `audit_logs` (`timestamp`);
CREATE INDEX `ix_audit_logs__entity_type__some_entity_key__timestamp` ON `audit_logs` (`entity_type`, `entity_key`, `timestamp`) WHERE `entity_key` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_user_id__timestamp` ON `audit_logs` (`user_id`, `timestamp`) WHERE `user_id` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_tenant__timestamp` ON `audit_logs` (`tenant`, `timestamp`) WHERE `tenant` IS NOT NULL;
CREATE INDEX `ix_crud_jobs__dead__run_at` ON `crud_jobs` (`dead`, `run_at`);
CREATE INDEX `ix_crud_idempotency__expires_at__id` ON `crud_idempotency` (`expires_at`, `id`);
CREATE INDEX `ix_auth_revocations__expires_at__id` ON `auth_revocations` (`expires_at`, `id`);
