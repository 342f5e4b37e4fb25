-- Tables as another program makes them, for the resources of the kitchen sink and the shop: without STRICT, with other
-- types, names of constraints, indexes and orders of columns, with columns that no field has, and triggers.

CREATE TABLE categories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  description CLOB,
  name VARCHAR(255) NOT NULL,
  UNIQUE (name)
);

CREATE TABLE products (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  category_id BIGINT NOT NULL,
  name VARCHAR(255) NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description CLOB,
  price DOUBLE PRECISION NOT NULL CHECK (price >= 0),
  stock INT NOT NULL DEFAULT 0,
  photo TEXT,
  supplier VARCHAR(20),
  created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at DATETIME,
  FOREIGN KEY (category_id) REFERENCES categories (id) ON UPDATE CASCADE
);
CREATE INDEX by_price ON products (price DESC);

CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  order_number VARCHAR(255) NOT NULL,
  product_id BIGINT,
  total_price DOUBLE PRECISION NOT NULL,
  status VARCHAR(20) NOT NULL DEFAULT 'pending',
  currency VARCHAR(20) NOT NULL DEFAULT 'EUR',
  created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL,
  deleted_at DATETIME,
  CONSTRAINT order_of_product FOREIGN KEY (product_id) REFERENCES products (id) ON UPDATE CASCADE
);
CREATE UNIQUE INDEX one_order_of_a_number ON orders (order_number);

CREATE TABLE denses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [text] TEXT NOT NULL,
  [flag] BOOLEAN NOT NULL,
  small MEDIUMINT NOT NULL,
  medium BIGINT NOT NULL,
  [large] BIGINT NOT NULL,
  [unsigned] UNSIGNED BIG INT NOT NULL,
  [single] FLOAT NOT NULL,
  [double] DOUBLE PRECISION NOT NULL,
  instant DATETIME NOT NULL,
  [day] DATE NOT NULL,
  [time] TIME NOT NULL,
  [local] DATETIME NOT NULL,
  uuid CHAR(36) NOT NULL,
  [decimal] BIGINT NOT NULL,
  [json] TEXT NOT NULL,
  bytes BLOB NOT NULL,
  texts TEXT NOT NULL,
  priority VARCHAR(20) NOT NULL CHECK (priority IN ('Low', 'Normal', 'High')),
  sku VARCHAR(255) NOT NULL,
  imported_by VARCHAR(20) NOT NULL DEFAULT 'import'
);
CREATE INDEX dense_days ON denses (day, priority);

CREATE TABLE sparses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [text] TEXT,
  [flag] BOOLEAN,
  small SMALLINT,
  medium INT,
  [large] BIGINT,
  [unsigned] UNSIGNED BIG INT,
  [single] FLOAT,
  [double] DOUBLE PRECISION,
  instant DATETIME,
  [day] DATE,
  [time] TIME,
  [local] DATETIME,
  uuid UUID,
  [decimal] BIGINT,
  [json] TEXT,
  bytes BLOB,
  texts CLOB,
  priority VARCHAR(20),
  sku VARCHAR(255)
);

CREATE TABLE checkeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [integer] INT CONSTRAINT small_integer CHECK ([integer] BETWEEN -5 AND 10),
  [float] DOUBLE PRECISION,
  [decimal] BIGINT,
  [text] VARCHAR(4),
  bytes BLOB,
  list TEXT,
  [code] CLOB,
  somewhere CLOB,
  email VARCHAR(255),
  url CLOB,
  [size] VARCHAR(20),
  factor INT,
  quiet CLOB,
  [even] BIGINT,
  [several] CLOB,
  handle VARCHAR(255),
  sku VARCHAR(255),
  shade INT,
  CONSTRAINT one_of_a_handle UNIQUE (handle)
);

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name CLOB NOT NULL,
  balance BIGINT NOT NULL DEFAULT 0,
  password CLOB NOT NULL,
  note CLOB,
  country VARCHAR(255) NOT NULL,
  referrer CLOB,
  plan VARCHAR(20) NOT NULL DEFAULT 'free',
  created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE fixeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name CLOB NOT NULL
);

CREATE TABLE tags (
  slug VARCHAR(255) NOT NULL PRIMARY KEY,
  label CLOB,
  uses INT NOT NULL DEFAULT 0
);

CREATE TABLE devices (
  id CHAR(36) NOT NULL PRIMARY KEY,
  name CLOB NOT NULL
);

CREATE TABLE counters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  amount INT NOT NULL DEFAULT 0
);

CREATE TABLE tickets (
  ticket_id INTEGER PRIMARY KEY AUTOINCREMENT,
  short_title CLOB NOT NULL,
  odd CLOB,
  priority_text VARCHAR(20) NOT NULL DEFAULT 'Normal',
  state VARCHAR(20) NOT NULL DEFAULT 'in_progress',
  assigned_to VARCHAR(255),
  queue_position INT,
  [type] CLOB,
  opened_at TIMESTAMP NOT NULL,
  touched_at TIMESTAMP NOT NULL,
  CONSTRAINT one_place_in_a_queue UNIQUE (assigned_to, queue_position)
);

CREATE TABLE posts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  parent_id BIGINT,
  title TEXT NOT NULL,
  FOREIGN KEY (parent_id) REFERENCES posts (id) ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  post_id BIGINT NOT NULL,
  tag VARCHAR(255),
  FOREIGN KEY (post_id) REFERENCES posts (id) ON UPDATE CASCADE,
  FOREIGN KEY (tag) REFERENCES tags (slug) ON UPDATE CASCADE
);
CREATE INDEX comments_of_a_post ON comments (post_id);

CREATE TABLE attachments (
  id INTEGER PRIMARY KEY,
  post_id BIGINT NOT NULL,
  FOREIGN KEY (post_id) REFERENCES posts (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE readers (
  id INTEGER PRIMARY KEY,
  post_id BIGINT,
  FOREIGN KEY (post_id) REFERENCES posts (id) ON DELETE SET NULL ON UPDATE CASCADE
);

CREATE TABLE bares (
  id INTEGER PRIMARY KEY,
  name CLOB NOT NULL
);

CREATE TABLE entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [text] TEXT NOT NULL,
  [flag] BOOLEAN,
  number INT,
  score DOUBLE PRECISION,
  amount BIGINT,
  moment DATETIME,
  uuid UUID
);
CREATE INDEX entry_texts ON entries ([text]);

CREATE TABLE clampeds (
  id INTEGER PRIMARY KEY,
  name VARCHAR(255) NOT NULL
);

CREATE TABLE steps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title VARCHAR(255) NOT NULL,
  [rank] INT,
  weight DOUBLE PRECISION,
  deleted_at DATETIME
);
CREATE INDEX step_titles ON steps (title, id);

CREATE TABLE essays (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title CLOB NOT NULL,
  body TEXT,
  grade INT,
  deleted_at DATETIME
);

CREATE TABLE poems (
  id CHAR(36) NOT NULL PRIMARY KEY,
  [text] TEXT NOT NULL
);

CREATE TABLE scrolls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [text] TEXT NOT NULL
);

CREATE TABLE articles (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sku VARCHAR(40) NOT NULL,
  shelf INT NOT NULL,
  [slot] INT NOT NULL,
  name CLOB NOT NULL CONSTRAINT named CHECK (name <> ''),
  stock INT NOT NULL DEFAULT 5,
  maker CLOB,
  barcode VARCHAR(20),
  deleted_at DATETIME,
  CONSTRAINT one_article UNIQUE (sku),
  CONSTRAINT one_in_a_slot UNIQUE (shelf, slot)
);

CREATE TABLE labels (
  [code] VARCHAR(40) NOT NULL PRIMARY KEY,
  [text] TEXT NOT NULL,
  hint CLOB
);

CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title CLOB NOT NULL,
  [rank] INT,
  edited INT NOT NULL DEFAULT 0,
  created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL,
  deleted_at DATETIME
);
CREATE INDEX kept_notes ON notes (rank) WHERE deleted_at IS NULL;

CREATE TABLE drafts (
  slug VARCHAR(255) NOT NULL PRIMARY KEY,
  word_count INT NOT NULL CHECK (word_count >= 0),
  touched_at DATETIME NOT NULL,
  removed_at DATETIME
);

CREATE TABLE kepts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name VARCHAR(255) NOT NULL,
  deleted_at DATETIME
);

CREATE TABLE teams (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name VARCHAR(255) NOT NULL,
  parent_id BIGINT,
  deleted_at DATETIME,
  CONSTRAINT one_team UNIQUE (name),
  FOREIGN KEY (parent_id) REFERENCES teams (id) ON DELETE RESTRICT
);

CREATE TABLE members (
  id CHAR(36) NOT NULL PRIMARY KEY,
  handle VARCHAR(255),
  email VARCHAR(255),
  team_id BIGINT,
  updated_at DATETIME NOT NULL,
  deleted_at DATETIME,
  CONSTRAINT one_address UNIQUE (email),
  FOREIGN KEY (team_id) REFERENCES teams (id) ON UPDATE CASCADE
);
CREATE UNIQUE INDEX one_current_handle ON members (handle) WHERE deleted_at IS NULL;

CREATE TABLE badges (
  id INTEGER PRIMARY KEY,
  team_id BIGINT NOT NULL,
  FOREIGN KEY (team_id) REFERENCES teams (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE fans (
  id INTEGER PRIMARY KEY,
  team_id BIGINT,
  name CLOB,
  FOREIGN KEY (team_id) REFERENCES teams (id) ON DELETE SET NULL ON UPDATE CASCADE
);

CREATE TABLE parcels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [code] VARCHAR(255) NOT NULL,
  weight DOUBLE PRECISION NOT NULL CHECK (weight >= 0),
  origin CLOB,
  details CLOB NOT NULL DEFAULT '',
  team_id BIGINT,
  created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL,
  weight_in_grams DOUBLE PRECISION AS (weight * 1000) VIRTUAL,
  CONSTRAINT one_parcel UNIQUE (code),
  FOREIGN KEY (team_id) REFERENCES teams (id) ON UPDATE CASCADE
);

CREATE TABLE stamps (
  id INTEGER PRIMARY KEY,
  parcel_id BIGINT NOT NULL,
  FOREIGN KEY (parcel_id) REFERENCES parcels (id) ON UPDATE CASCADE
);

CREATE TABLE slips (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [code] VARCHAR(255) NOT NULL,
  amount INT NOT NULL,
  team_id BIGINT,
  updated_at DATETIME NOT NULL,
  deleted_at DATETIME,
  CONSTRAINT an_amount CHECK (amount BETWEEN 0 AND 100),
  CONSTRAINT one_slip UNIQUE (code),
  FOREIGN KEY (team_id) REFERENCES teams (id) ON UPDATE CASCADE
);

CREATE TABLE trays (
  tray_code VARCHAR(255) NOT NULL PRIMARY KEY,
  item_count BIGINT NOT NULL
);

CREATE TABLE coupons (
  id UUID NOT NULL PRIMARY KEY,
  worth INT NOT NULL
);

CREATE TABLE ledgers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name CLOB NOT NULL,
  amount BIGINT,
  ratio DOUBLE PRECISION,
  seal BLOB,
  extra TEXT,
  due DATETIME,
  [day] DATE,
  tags TEXT,
  priority VARCHAR(20),
  balance BIGINT NOT NULL DEFAULT 0,
  pin CLOB,
  remark CLOB,
  created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL,
  deleted_at DATETIME
);

CREATE TABLE quiet (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name CLOB NOT NULL
);

CREATE TABLE anonymous (
  name VARCHAR(255) NOT NULL PRIMARY KEY,
  [size] BIGINT
);

CREATE TABLE timeless (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name CLOB NOT NULL
);

CREATE TABLE movements (
  id INTEGER PRIMARY KEY,
  [code] VARCHAR(255) NOT NULL,
  what VARCHAR(20) NOT NULL
);

CREATE TRIGGER edited_note AFTER UPDATE OF title, rank ON notes
BEGIN
  UPDATE notes SET edited = edited + 1 WHERE id = NEW.id;
END;

CREATE TRIGGER parcel_in AFTER INSERT ON parcels
BEGIN
  INSERT INTO movements (code, what) VALUES (NEW.code, 'in');
END;

CREATE TRIGGER parcel_out AFTER DELETE ON parcels
BEGIN
  INSERT INTO movements (code, what) VALUES (OLD.code, 'out');
END;
