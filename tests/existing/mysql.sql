CREATE TABLE publisher (
    id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name varchar(80) NOT NULL,
    UNIQUE KEY publisher_name (name)
);

CREATE TABLE book (
    id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    title varchar(160) NOT NULL,
    publisher_id int unsigned NOT NULL,
    price decimal(8, 2) NOT NULL DEFAULT 9.99,
    huge decimal(40, 20),
    kind enum('novel', 'It''s') NOT NULL DEFAULT 'novel',
    marks set('a', 'b'),
    is_long tinyint(1) NOT NULL DEFAULT 0,
    pages smallint unsigned,
    small tinyint,
    published datetime,
    seen timestamp NULL,
    day date,
    at time,
    year year,
    facts json,
    cover blob,
    description longtext,
    words int AS (char_length(title)) STORED,
    `limit` int,
    UNIQUE KEY title_of_publisher (title, publisher_id),
    UNIQUE KEY beginning (title(10)),
    CONSTRAINT book_publisher FOREIGN KEY (publisher_id) REFERENCES publisher (id) ON DELETE CASCADE
);

CREATE TABLE authorship (
    book_id bigint NOT NULL,
    author varchar(80) NOT NULL,
    PRIMARY KEY (book_id, author),
    CONSTRAINT authorship_book FOREIGN KEY (book_id) REFERENCES book (id)
);

CREATE TABLE visit (at datetime NOT NULL, note text);

CREATE TABLE account (
    id binary(16) NOT NULL PRIMARY KEY,
    login varchar(40) NOT NULL UNIQUE,
    shade enum('', 'dark') NOT NULL DEFAULT '',
    user_pass varchar(255) NOT NULL,
    totp_secret tinyblob,
    activation_key varchar(60) NOT NULL DEFAULT '',
    hash binary(20),
    code binary(4),
    token_type varchar(10)
);
CREATE TABLE sessions (
    id varchar(255) NOT NULL PRIMARY KEY,
    account_id binary(16),
    payload longtext NOT NULL,
    CONSTRAINT sessions_account FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE
);
CREATE TABLE sign_in (
    account_id binary(16),
    at datetime NOT NULL,
    CONSTRAINT sign_in_account FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE
);
CREATE TABLE versioned (id int NOT NULL PRIMARY KEY, note text) /*M! WITH SYSTEM VERSIONING */;
CREATE TABLE counted (
    code varchar(10) NOT NULL PRIMARY KEY,
    number int NOT NULL AUTO_INCREMENT UNIQUE
);

CREATE VIEW long_books AS SELECT id, title, published FROM book WHERE is_long;
