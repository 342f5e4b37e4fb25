CREATE TABLE [Publisher] (
    [PublisherId] INTEGER NOT NULL,
    [Name] NVARCHAR(80) NOT NULL UNIQUE,
    CONSTRAINT [PK_Publisher] PRIMARY KEY ([PublisherId])
);

CREATE TABLE Author (
    AuthorId INTEGER PRIMARY KEY AUTOINCREMENT,
    "Full Name" TEXT NOT NULL,
    MentorId INTEGER REFERENCES Author ON DELETE SET NULL,
    Born DATE,
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE Book (
    Isbn TEXT NOT NULL PRIMARY KEY,
    Title NVARCHAR(160) NOT NULL,
    PublisherId INTEGER NOT NULL REFERENCES Publisher (PublisherId) ON DELETE CASCADE,
    Price NUMERIC(10, 2) NOT NULL,
    Weight REAL,
    Published DATETIME,
    Stamp INTEGER,
    Seen TIMESTAMP,
    Guid GUID,
    IsLong BOOLEAN NOT NULL DEFAULT 0,
    Words INTEGER AS (length(Title)) VIRTUAL,
    Cover BLOB,
    Facts JSON,
    Loose,
    "limit" INT,
    UNIQUE (Title, PublisherId)
);

CREATE TABLE Authorship (
    AuthorId INTEGER NOT NULL REFERENCES Author,
    Isbn TEXT NOT NULL REFERENCES Book ON DELETE CASCADE,
    Share REAL NOT NULL DEFAULT 1,
    PRIMARY KEY (AuthorId, Isbn)
) WITHOUT ROWID;

CREATE TABLE visits (at DATETIME NOT NULL, note TEXT);

CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    login TEXT NOT NULL,
    password TEXT NOT NULL,
    salt BLOB,
    note TEXT,
    key_of TEXT
);
CREATE TABLE account_extra (account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, note TEXT);
CREATE TABLE sign_in (account_id INTEGER REFERENCES account ON DELETE CASCADE, token TEXT, at DATETIME);
CREATE TABLE visited (id INTEGER PRIMARY KEY, account_id INTEGER, extra_id INTEGER);
CREATE TABLE "sign.old" (id INTEGER PRIMARY KEY, "" TEXT);

CREATE VIEW LongBooks AS SELECT Isbn, Title, Published FROM Book WHERE IsLong;
CREATE VIRTUAL TABLE words USING fts5 (word);

INSERT INTO Publisher VALUES (1, 'North'), (2, 'South');
INSERT INTO Author (AuthorId, "Full Name", MentorId, Born, created_at)
VALUES (1, 'Ada', NULL, '1815-12-10', '2026-01-01 12:00:00'), (2, 'Bob', 1, '1930-01-02', '2026-01-01 12:00:00');
INSERT INTO Book (Isbn, Title, PublisherId, Price, Weight, Published, Stamp, Seen, Guid, IsLong, Cover, Facts, Loose, "limit")
VALUES
    ('978-1', 'First', 1, 9.99, 0.5, '2021-01-01 00:00:00', 1, 1600000000, '0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F', 0, x'00', '{"a": 1}', 1, 3),
    ('978-2', 'Second', 2, 12, 1, '2021-12-31 23:59:59', 2, 1600000001, '0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E10', 1, NULL, NULL, 0.5, NULL);
INSERT INTO Authorship VALUES (1, '978-1', 1), (1, '978-2', 0.5), (2, '978-2', 0.5);
INSERT INTO visits VALUES ('2021-01-01 10:00:00', 'a'), ('2021-01-02', 'b');
INSERT INTO account (id, login, password, key_of) VALUES (1, 'ada', 'x', '$2b$12$abcdefghijklmnopqrstuv');
