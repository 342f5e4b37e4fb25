INSERT INTO publisher (name) VALUES ('apple'), ('Banana'), ('Zoo'), ('Ähre');
INSERT INTO book (title, publisher_id, price, huge, kind, marks, is_long, pages, small, published, seen, day, at, year, facts, cover, description, `limit`)
VALUES ('Zebra', 1, 1.5, 12.5, 'novel', 'a,b', 1, 700, -5, '2021-01-01 00:00:00', '2021-01-01 00:00:00', '2021-01-01', '10:00:00', 1999, '{"a": 1}', x'00', 'long', 3),
    ('ahre', 2, 2.5, 2.25, 'It''s', NULL, 0, 9, 5, '2021-01-01 10:00:00', NULL, '2020-01-01', '09:00:00', 2001, NULL, NULL, NULL, NULL),
    ('Ähre', 3, 2.5, NULL, 'novel', 'a', 0, NULL, NULL, NULL, '2022-01-01 00:00:00', NULL, NULL, NULL, '[]', NULL, '', 4),
    ('B 1', 1, 0.01, 100.125, 'It''s', '', 1, 65535, 127, '1999-12-31 23:59:59', NULL, '1999-12-31', '23:59:59', 2155, NULL, x'ff', 'x', -4);
INSERT INTO authorship VALUES (1, 'Ada'), (1, 'bob'), (2, 'Öl'), (4, 'a,b/c');
INSERT INTO visit VALUES ('2021-01-01 00:00:00', NULL), ('2021-01-01 00:00:00', 'x');
INSERT INTO account (id, login, shade, user_pass, totp_secret, hash, code) VALUES (x'00112233445566778899aabbccddeeff', 'ada', '', 'a', x'00', NULL, x'01020304'), (x'10112233445566778899aabbccddeeff', 'bob', 'dark', 'b', NULL, NULL, NULL);
INSERT INTO sessions SELECT 'secret', id, 'x' FROM account WHERE login = 'ada';
INSERT INTO sign_in SELECT id, '2026-01-01 10:00:00' FROM account;
INSERT INTO counted (code) VALUES ('a'), ('B');
