-- Tables as another program makes them, for the resources of the kitchen sink and the shop: texts by MariaDB's usual
-- collation, to which letters of any case and accent are equal, bounded ones, TIMESTAMP and ENUM, other names of
-- constraints and indexes, columns that no field has, and triggers.

CREATE TABLE categories (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  description MEDIUMTEXT,
  name VARCHAR(255) NOT NULL,
  UNIQUE KEY one_category_of_a_name (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE products (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  category_id BIGINT NOT NULL,
  name VARCHAR(255) NOT NULL CHECK (CHAR_LENGTH(name) BETWEEN 1 AND 200),
  description MEDIUMTEXT,
  price DOUBLE NOT NULL CHECK (price >= 0),
  stock INT NOT NULL DEFAULT 0,
  photo LONGTEXT,
  supplier VARCHAR(20),
  created_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  updated_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  deleted_at DATETIME(6),
  CONSTRAINT product_of_category FOREIGN KEY (category_id) REFERENCES categories (id) ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE INDEX by_price ON products (price);

CREATE TABLE orders (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  order_number VARCHAR(255) NOT NULL,
  product_id BIGINT,
  total_price DOUBLE NOT NULL,
  status VARCHAR(20) NOT NULL DEFAULT 'pending',
  currency VARCHAR(20) NOT NULL DEFAULT 'EUR',
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6),
  CONSTRAINT order_of_product FOREIGN KEY (product_id) REFERENCES products (id) ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE UNIQUE INDEX one_order_of_a_number ON orders (order_number);

CREATE TABLE denses (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `text` LONGTEXT NOT NULL,
  `flag` TINYINT(1) NOT NULL,
  small MEDIUMINT NOT NULL,
  medium BIGINT NOT NULL,
  `large` BIGINT NOT NULL,
  `unsigned` BIGINT NOT NULL,
  `single` FLOAT NOT NULL,
  `double` DOUBLE NOT NULL,
  instant DATETIME(6) NOT NULL,
  `day` DATE NOT NULL,
  `time` TIME(6) NOT NULL,
  `local` DATETIME(6) NOT NULL,
  uuid BINARY(16) NOT NULL,
  `decimal` DECIMAL(14, 3) NOT NULL,
  `json` LONGTEXT NOT NULL,
  bytes MEDIUMBLOB NOT NULL,
  texts JSON NOT NULL,
  priority VARCHAR(20) NOT NULL CHECK (priority IN ('Low', 'Normal', 'High')),
  sku VARCHAR(255) NOT NULL,
  imported_by VARCHAR(20) NOT NULL DEFAULT 'import'
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE INDEX dense_days ON denses (day, priority);

CREATE TABLE sparses (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  `text` LONGTEXT,
  `flag` TINYINT(1),
  small SMALLINT,
  medium INT,
  `large` BIGINT,
  `unsigned` BIGINT,
  `single` FLOAT,
  `double` DOUBLE,
  instant DATETIME(6),
  `day` DATE,
  `time` TIME(6),
  `local` DATETIME(6),
  uuid BINARY(16),
  `decimal` DECIMAL(18, 4),
  `json` LONGTEXT,
  bytes MEDIUMBLOB,
  texts LONGTEXT,
  priority VARCHAR(20),
  sku VARCHAR(255)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE checkeds (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  `integer` INT,
  `float` DOUBLE,
  `decimal` DECIMAL(8, 2),
  `text` VARCHAR(4),
  bytes VARBINARY(16),
  list JSON,
  `code` MEDIUMTEXT,
  somewhere MEDIUMTEXT,
  email VARCHAR(255),
  url MEDIUMTEXT,
  `size` VARCHAR(20),
  factor INT,
  quiet MEDIUMTEXT,
  `even` BIGINT,
  `several` MEDIUMTEXT,
  handle VARCHAR(255),
  sku VARCHAR(255),
  shade INT,
  UNIQUE KEY one_of_a_handle (handle)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE accounts (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name MEDIUMTEXT NOT NULL,
  balance BIGINT NOT NULL DEFAULT 0,
  password MEDIUMTEXT NOT NULL,
  note MEDIUMTEXT,
  country VARCHAR(255) NOT NULL,
  referrer MEDIUMTEXT,
  plan VARCHAR(20) NOT NULL DEFAULT 'free',
  created_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE fixeds (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  name MEDIUMTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE tags (
  slug VARCHAR(255) NOT NULL PRIMARY KEY,
  label MEDIUMTEXT,
  uses INT NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE devices (
  id BINARY(16) NOT NULL PRIMARY KEY,
  name MEDIUMTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE counters (
  id INT AUTO_INCREMENT PRIMARY KEY,
  amount INT NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE tickets (
  ticket_id BIGINT AUTO_INCREMENT PRIMARY KEY,
  short_title MEDIUMTEXT NOT NULL,
  odd MEDIUMTEXT,
  priority_text VARCHAR(20) NOT NULL DEFAULT 'Normal',
  state ENUM('done!', 'in_progress') NOT NULL DEFAULT 'in_progress',
  assigned_to VARCHAR(255),
  queue_position INT,
  `type` MEDIUMTEXT,
  opened_at TIMESTAMP(6) NOT NULL,
  touched_at TIMESTAMP(6) NOT NULL,
  UNIQUE KEY one_place_in_a_queue (assigned_to, queue_position)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE posts (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  parent_id BIGINT,
  title LONGTEXT NOT NULL,
  CONSTRAINT answered FOREIGN KEY (parent_id) REFERENCES posts (id) ON DELETE RESTRICT
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE comments (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  post_id BIGINT NOT NULL,
  tag VARCHAR(255),
  CONSTRAINT of_post FOREIGN KEY (post_id) REFERENCES posts (id) ON UPDATE CASCADE,
  CONSTRAINT of_tag FOREIGN KEY (tag) REFERENCES tags (slug) ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE attachments (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  post_id BIGINT NOT NULL,
  FOREIGN KEY (post_id) REFERENCES posts (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE readers (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  post_id BIGINT,
  FOREIGN KEY (post_id) REFERENCES posts (id) ON DELETE SET NULL ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE bares (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name MEDIUMTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE entries (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  `text` LONGTEXT NOT NULL,
  `flag` TINYINT(1),
  number INT,
  score DOUBLE,
  amount DECIMAL(18, 4),
  moment DATETIME(6),
  uuid BINARY(16)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE INDEX entry_texts ON entries (`text`(100));

CREATE TABLE clampeds (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(255) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE steps (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  title VARCHAR(255) NOT NULL,
  `rank` INT,
  weight DOUBLE,
  deleted_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE INDEX step_titles ON steps (title, id);

CREATE TABLE essays (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  title MEDIUMTEXT NOT NULL,
  body LONGTEXT,
  grade INT,
  deleted_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE poems (
  id BINARY(16) NOT NULL PRIMARY KEY,
  `text` LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE scrolls (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  `text` LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE articles (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  sku VARCHAR(40) NOT NULL,
  shelf INT NOT NULL,
  `slot` INT NOT NULL,
  name MEDIUMTEXT NOT NULL,
  stock INT NOT NULL DEFAULT 5,
  maker MEDIUMTEXT,
  barcode VARCHAR(20),
  deleted_at DATETIME(6),
  UNIQUE KEY one_article (sku),
  UNIQUE KEY one_in_a_slot (shelf, slot)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE labels (
  `code` VARCHAR(40) NOT NULL PRIMARY KEY,
  `text` LONGTEXT NOT NULL,
  hint MEDIUMTEXT
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE notes (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  title MEDIUMTEXT NOT NULL,
  `rank` INT,
  edited INT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE INDEX kept_notes ON notes (deleted_at, `rank`);

CREATE TABLE drafts (
  slug VARCHAR(255) NOT NULL PRIMARY KEY,
  word_count INT NOT NULL CHECK (word_count >= 0),
  touched_at DATETIME(6) NOT NULL,
  removed_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE kepts (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(255) NOT NULL,
  deleted_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE teams (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(255) NOT NULL,
  parent_id BIGINT,
  deleted_at DATETIME(6),
  UNIQUE KEY one_team (name),
  CONSTRAINT team_of_teams FOREIGN KEY (parent_id) REFERENCES teams (id) ON DELETE RESTRICT
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE members (
  id BINARY(16) NOT NULL PRIMARY KEY,
  handle VARCHAR(255),
  email VARCHAR(255),
  team_id BIGINT,
  updated_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6),
  is_current TINYINT AS (IF(deleted_at IS NULL, 1, NULL)) VIRTUAL,
  UNIQUE KEY one_address (email),
  UNIQUE KEY one_current_handle (handle, is_current),
  CONSTRAINT member_of_team FOREIGN KEY (team_id) REFERENCES teams (id) ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE badges (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  team_id BIGINT NOT NULL,
  FOREIGN KEY (team_id) REFERENCES teams (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE fans (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  team_id BIGINT,
  name MEDIUMTEXT,
  FOREIGN KEY (team_id) REFERENCES teams (id) ON DELETE SET NULL ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE parcels (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  `code` VARCHAR(255) NOT NULL,
  weight DOUBLE NOT NULL CHECK (weight >= 0),
  origin MEDIUMTEXT,
  details MEDIUMTEXT NOT NULL DEFAULT '',
  team_id BIGINT,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  weight_in_grams DOUBLE AS (weight * 1000) STORED,
  UNIQUE KEY one_parcel (code),
  CONSTRAINT parcel_of_team FOREIGN KEY (team_id) REFERENCES teams (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE stamps (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  parcel_id BIGINT NOT NULL,
  CONSTRAINT stamp_of_parcel FOREIGN KEY (parcel_id) REFERENCES parcels (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE slips (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  `code` VARCHAR(255) NOT NULL,
  amount INT NOT NULL,
  team_id BIGINT,
  updated_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6),
  CONSTRAINT an_amount CHECK (amount BETWEEN 0 AND 100),
  UNIQUE KEY one_slip (code),
  CONSTRAINT slip_of_team FOREIGN KEY (team_id) REFERENCES teams (id) ON UPDATE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE trays (
  tray_code VARCHAR(255) NOT NULL PRIMARY KEY,
  item_count BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE coupons (
  id BINARY(16) NOT NULL PRIMARY KEY,
  worth INT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE ledgers (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  name MEDIUMTEXT NOT NULL,
  amount DECIMAL(12, 2),
  ratio DOUBLE,
  seal MEDIUMBLOB,
  extra LONGTEXT,
  due DATETIME(6),
  `day` DATE,
  tags JSON,
  priority VARCHAR(20),
  balance BIGINT NOT NULL DEFAULT 0,
  pin MEDIUMTEXT,
  remark MEDIUMTEXT,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  deleted_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE quiet (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name MEDIUMTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE anonymous (
  name VARCHAR(255) NOT NULL PRIMARY KEY,
  `size` BIGINT
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE timeless (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name MEDIUMTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE movements (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `code` VARCHAR(255) NOT NULL,
  what VARCHAR(20) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TRIGGER edited_note BEFORE UPDATE ON notes FOR EACH ROW
  SET NEW.edited = IF(NEW.title = OLD.title AND NEW.`rank` <=> OLD.`rank`, OLD.edited, OLD.edited + 1);

CREATE TRIGGER parcel_in AFTER INSERT ON parcels FOR EACH ROW
  INSERT INTO movements (code, what) VALUES (NEW.code, 'in');

CREATE TRIGGER parcel_out AFTER DELETE ON parcels FOR EACH ROW
  INSERT INTO movements (code, what) VALUES (OLD.code, 'out');
