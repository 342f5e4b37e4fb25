-- Makes the database as the structs are. Read it before it is applied.
-- What is there already, because a service has made it, stays as it is.

CREATE TABLE IF NOT EXISTS "books" (
  "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  "title" TEXT NOT NULL CONSTRAINT "check_title" CHECK (length("title") <= 255),
  "isbn" TEXT,
  "shelf" TEXT,
  "pages" INTEGER NOT NULL CONSTRAINT "check_pages" CHECK ("pages" BETWEEN -2147483648 AND 2147483647 AND "pages" >= 1)
) STRICT;
