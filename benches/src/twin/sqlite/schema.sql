CREATE TABLE categories (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    description TEXT
) STRICT;

CREATE TABLE products (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    price REAL NOT NULL,
    stock INTEGER NOT NULL,
    category_id INTEGER NOT NULL REFERENCES categories (id) ON DELETE RESTRICT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX products_name ON products (name);
CREATE INDEX products_price ON products (price);
CREATE INDEX products_stock ON products (stock);
CREATE INDEX products_category_id ON products (category_id);
CREATE INDEX products_created_at ON products (created_at);

CREATE TABLE articles (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    sku TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT,
    price REAL NOT NULL,
    stock INTEGER NOT NULL,
    category_id INTEGER NOT NULL REFERENCES categories (id) ON DELETE RESTRICT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX articles_name ON articles (name);
CREATE INDEX articles_price ON articles (price);
CREATE INDEX articles_stock ON articles (stock);
CREATE INDEX articles_category_id ON articles (category_id);
CREATE INDEX articles_created_at ON articles (created_at);

CREATE VIRTUAL TABLE articles_words USING fts5(
    name, description, content = articles, content_rowid = id,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N*'"
);
CREATE TRIGGER articles_words_insert AFTER INSERT ON articles BEGIN
    INSERT INTO articles_words (rowid, name, description) VALUES (new.id, new.name, new.description);
END;
CREATE TRIGGER articles_words_update AFTER UPDATE OF id, name, description ON articles BEGIN
    INSERT INTO articles_words (articles_words, rowid, name, description)
    VALUES ('delete', old.id, old.name, old.description);
    INSERT INTO articles_words (rowid, name, description) VALUES (new.id, new.name, new.description);
END;
CREATE TRIGGER articles_words_delete AFTER DELETE ON articles BEGIN
    INSERT INTO articles_words (articles_words, rowid, name, description)
    VALUES ('delete', old.id, old.name, old.description);
END;

CREATE TABLE idempotency (
    key TEXT PRIMARY KEY NOT NULL,
    fingerprint TEXT NOT NULL,
    location TEXT,
    body BLOB,
    expires_at TEXT NOT NULL
) STRICT;

CREATE INDEX idempotency_expires_at ON idempotency (expires_at);

CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    name TEXT NOT NULL,
    price REAL NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX entries_created_at ON entries (created_at);
