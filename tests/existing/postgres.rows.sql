INSERT INTO publishers (name, country, website) VALUES ('apple', 'DE', NULL), ('Banana', 'FR', 'https://b.example'), ('Äpfel', 'DE', 'x'), ('Zoo', 'IT', NULL), ('zoo', 'IT', ''), ('a b', 'DE', NULL), ('ab', 'X', NULL);
INSERT INTO author ("Full Name", born, mentor_id, updated_at) VALUES ('Ada', '1815-12-10', NULL, '2026-01-01 10:00:00'), ('ada', NULL, 1, '2026-01-01 10:00:00.5'), ('Öl', '1930-01-02', 1, '2025-01-01'), ('Bob', '1930-01-02', 2, '2024-01-01');
INSERT INTO book (isbn, title, publisher, editor_id, year, price, weight, pages, rating, feeling, tags, sizes, reading, source, facts, cover, type, "limit", seen_at)
SELECT '978/' || i || ',a', (ARRAY['Zebra', 'zebra', 'Ähre', 'ahre', 'Ahre', 'B-1', 'b 1', 'B1', 'éa', 'eb'])[1 + i % 10] || i / 10, 1 + i % 7,
    CASE WHEN i % 3 = 0 THEN NULL ELSE 1 + i % 4 END, CASE WHEN i % 4 = 0 THEN NULL ELSE 1950 + i % 50 END, i + 0.5,
    CASE WHEN i % 5 = 0 THEN NULL ELSE i / 3.0 END, (i * 97) % 1200, CASE WHEN i % 6 = 0 THEN NULL ELSE i / 8.0 END,
    (ARRAY['calm', 'PG-13', 'In Love'])[1 + i % 3]::mood, ARRAY['a', 'b'], ARRAY[i], i * interval '25 hours', ('10.0.0.' || i)::inet,
    '{"a": 1}', '\x00ff', (ARRAY['x', 'Y'])[1 + i % 2], CASE WHEN i % 2 = 0 THEN i END, time '10:00' + i * interval '1 minute'
FROM generate_series(1, 40) i;
INSERT INTO authorship (book_isbn, author_id, share) SELECT isbn, 1 + row_number() OVER (ORDER BY isbn) % 4, 0.5 FROM book;
INSERT INTO reader (name, born, active) SELECT 'Reader ' || i, date '1990-01-01' + i, i % 2 = 0 FROM generate_series(1, 20) i;
INSERT INTO readers SELECT date '2026-01-01' + i, i FROM generate_series(1, 15) i;
INSERT INTO loan SELECT i, (SELECT id FROM reader ORDER BY name OFFSET i % 20 LIMIT 1), '978/' || 1 + i % 40 || ',a', timestamptz '2025-12-20 10:00:00+00' + i * interval '9 hours' FROM generate_series(1, 60) i;
INSERT INTO shelf VALUES (7, 'East'), (3, 'west'), (-1, 'East');
INSERT INTO visit SELECT timestamp '2026-01-01 10:00:00', NULL, 'n' FROM generate_series(1, 9);
INSERT INTO account (login, pass_crypt, totp_secret, token_type, shade, rounded) VALUES ('ada', 'a', 'x', 'b', '', 1250), ('bob', 'b', NULL, NULL, 'dark', NULL);
INSERT INTO account_extra SELECT id, login FROM account;
INSERT INTO access_token SELECT 'secret', id FROM account WHERE login = 'ada';
INSERT INTO sign_in SELECT account_id, account_id, timestamptz '2026-01-01 10:00:00+00' FROM account_extra;
INSERT INTO squared (root) VALUES (2), (-3);
REFRESH MATERIALIZED VIEW prices;
